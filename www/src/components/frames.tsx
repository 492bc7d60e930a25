// Frames of the core: one as a line of text, several as a stack that can be copied.

import type { FrameText } from "../core/protocol";
import { useTexts } from "../i18n";
import { Copy, Name } from "./basics";

/** Native frames often come without a place. */
export const frameText = (frame: FrameText) => (frame.file === "" || frame.file === "??" ? frame.function : `${frame.function} ${frame.file}${frame.line > 0 ? `:${frame.line}` : ""}`);

export function Site({ frame, most = 60 }: { frame: FrameText | null | undefined; most?: number }) {
  const t = useTexts();
  if (!frame) return <span class="faint">{t.life.noStack}</span>;
  return (
    <span class="mono">
      <Name text={frameText(frame)} most={most} />
    </span>
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
