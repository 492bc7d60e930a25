// Small pieces of a report's sections.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Copy, Say, Size } from "../components/basics";
import type { Device, FrameText, Message } from "../core/protocol";
import { span } from "../format";
import { useTexts } from "../i18n";
import type { Texts } from "../i18n";

export const deviceName = (device: Device, t: Texts) => (device === "host" ? t.app.host : `${t.app.device} ${device}`);

/** What is said of each device; with one device no heading is needed. */
export function Each<T>({ of, device, children }: { of: readonly T[]; device: (item: T) => Device; children: (item: T, id: string) => ComponentChildren }) {
  const t = useTexts();
  return (
    <>
      {of.map((item) => {
        const id = String(device(item));
        return (
          <div key={id} class="report-device" data-device={id}>
            {of.length > 1 && <h3 class="report-device-name">{deviceName(device(item), t)}</h3>}
            {children(item, id)}
          </div>
        );
      })}
    </>
  );
}

export function Sentences({ of }: { of: readonly Message[] }) {
  return (
    <ul class="says">
      {of.map((message, i) => (
        <li key={i}>
          <Say message={message} />
        </li>
      ))}
    </ul>
  );
}

export function Frames({ of }: { of: readonly FrameText[] }) {
  const t = useTexts();
  if (of.length === 0) return <p class="faint">{t.life.noStack}</p>;
  return (
    <>
      <Copy text={of.map((frame) => `${frame.file}:${frame.line}:${frame.function}`).join("\n")} label={t.life.copyStack} />
      <ol class="stack">
        {of.map((frame, i) => (
          <li key={i}>
            {frame.function || "??"}
            <span class="where">
              {frame.file}:{frame.line}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Native frames often come without a place. */
export const frameText = (frame: FrameText) => (frame.file === "" || frame.file === "??" ? frame.function : `${frame.function} ${frame.file}${frame.line > 0 ? `:${frame.line}` : ""}`);

/** Folded details that something else can open. */
export function Fold({ title, open, children }: { title: ComponentChildren; open?: number; children: ComponentChildren }) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!open || !element.current) return;
    element.current.open = true;
    element.current.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }, [open]);
  return (
    <details ref={element}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Microseconds as time since another moment. */
export const since = (us: number | null | undefined, start: number | null | undefined) => (us === null || us === undefined || start === null || start === undefined ? "" : `+${span((us - start) * 1000)}`);

export const Bytes = Size;
