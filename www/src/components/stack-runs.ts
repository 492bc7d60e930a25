// Which frames of a stack fold together. Pure, so it is tested without a browser.

import type { StackFrame } from "../core/protocol";

/** C++ frames come with a source of C++, without a line, or from no file at all. */
export const isNative = ({ file, line }: { file: string; line: number | string }) => file === "" || String(line) === "0" || /\.(c|cc|cpp|cxx|cu|h|hpp)$/.test(file);

/** What stands together in a stack: frames that are shown, or a run of C++ frames that is folded. */
export interface Run {
  folded: boolean;
  /** The index of the first of its frames. */
  first: number;
  frames: readonly StackFrame[];
}

/**
 * The frames of a stack with those of C++ between Python's in runs, for whoever looks for a line of Python; the
 * call site is never among them. Where all are of C++, only the machinery is.
 */
export function runsOf(frames: readonly StackFrame[]): Run[] {
  const mixed = frames.some((frame) => !isNative(frame));
  const runs: { folded: boolean; first: number; frames: StackFrame[] }[] = [];
  for (const [i, frame] of frames.entries()) {
    const folded = !frame.is_call_site && (frame.is_noise || (mixed && isNative(frame)));
    const last = runs.at(-1);
    if (last && last.folded === folded) last.frames.push(frame);
    else runs.push({ folded, first: i, frames: [frame] });
  }
  return runs;
}
