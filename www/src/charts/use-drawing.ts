// Asks the core for drawings and keeps the last one. The pixel buffer goes back with the next request,
// since a fresh one costs as much as the drawing; of requests not yet sent only the newest is kept. The
// request leaves right after rendering, not after the next frame as other questions do.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { CoreError, Superseded } from "../core/client";
import type { Doc } from "../core/use-query";
import type { ReplyTo, Request, WireError } from "../core/protocol";

export type TimelineRequest = Extract<Request, { type: "timeline" }>;
export type Timeline = ReplyTo<TimelineRequest>;

/** A drawing as a canvas of its own, to be shown stretched while the next one is made. */
export interface Drawing {
  image: HTMLCanvasElement;
  reply: Timeline;
  request: TimelineRequest;
  /** When it was asked for, by the clock of `performance`. */
  began: number;
}

interface Answer {
  /** Who answered which request. */
  core: Doc["core"] | null;
  asked: string;
  drawing: Drawing | null;
  error: WireError | null;
}

/** What draws an answer the moment it comes, before anything is rendered with it. */
export interface Painter {
  current: ((drawing: Drawing) => void) | null;
}

export function useDrawing(at: Doc, request: TimelineRequest | null, painter: Painter): { drawing: Drawing | null; error: WireError | null; busy: boolean } {
  const [answer, setAnswer] = useState<Answer>({ core: null, asked: "", drawing: null, error: null });
  const spare = useRef<ArrayBuffer | null>(null);
  // Two images in turn: the one that shows, and the one that the next drawing goes to.
  const images = useRef<[HTMLCanvasElement, HTMLCanvasElement] | null>(null);
  const newest = useRef(0);
  const asked = request === null ? "" : `${at.doc} ${at.revision} ${JSON.stringify(request)}`;

  useLayoutEffect(() => {
    if (request === null) return;
    const mine = ++newest.current;
    const buffer = spare.current;
    const began = performance.now();
    spare.current = null;
    at.core.query(at.doc, request, "timeline", buffer ? [buffer] : []).then(
      (reply) => {
        if (newest.current === mine) {
          images.current ??= [document.createElement("canvas"), document.createElement("canvas")];
          images.current.reverse();
          const [image] = images.current;
          if (image.width !== request.width || image.height !== request.height) Object.assign(image, { width: request.width, height: request.height });
          image.getContext("2d")?.putImageData(new ImageData(reply.pixels, request.width, request.height), 0, 0);
          const drawing = { image, reply, request, began };
          painter.current?.(drawing);
          setAnswer({ core: at.core, asked, drawing, error: null });
        }
        spare.current = reply.pixels.buffer;
      },
      (problem: unknown) => {
        // A request that was never sent still holds the buffer.
        if (buffer && buffer.byteLength > 0) spare.current ??= buffer;
        if (newest.current !== mine || problem instanceof Superseded) return;
        const error = problem instanceof CoreError && problem.wire.kind !== "cancelled" ? problem.wire : null;
        setAnswer((now) => ({ ...now, core: at.core, asked, error: error ?? now.error }));
      },
    );
  }, [at.core, asked]);

  // Told without a state of its own: setting one would render everything once more while the core draws.
  const busy = request !== null && (answer.core !== at.core || answer.asked !== asked);
  return { drawing: answer.drawing, error: answer.error, busy };
}
