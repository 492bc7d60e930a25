// Frames of the core: one as a line of text, several as a stack that can be copied.

import type { FrameText } from "../core/protocol";
import { useTexts } from "../i18n";
import { Copy, Name } from "./basics";
import { isNative } from "./stack-runs";

/** A frame as the core tells it; lines beyond what a script number holds come as text. */
interface Placed {
  file: string;
  line: number | string;
  function: string;
}

/** Where a frame is; native frames often come without a line, and without a file. */
export function framePlace({ file, line }: Placed): string {
  if (file === "" || file === "??") return "";
  return String(line) === "0" ? file : `${file}:${line}`;
}

/** A frame on one line, as the core writes it. */
export const frameText = (frame: Placed) => `${frame.function} ${framePlace(frame)}`.trim();

/** What finds a frame in the texts of stacks. */
export const frameSearch = (frame: Placed) => framePlace(frame) || frame.function;

export function Site({ frame, most = 60 }: { frame: FrameText | null | undefined; most?: number }) {
  const t = useTexts();
  if (!frame) return <span class="faint">{t.life.noStack}</span>;
  return (
    <span class="mono">
      <Name text={frameText(frame)} most={most} />
    </span>
  );
}

/** A frame on one line of a table: the file's name and the line stay, however little room there is. */
export function SiteLine({ text }: { text: string }) {
  const file = Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\"));
  const cut = Math.max(0, file < 0 ? text.lastIndexOf(" ") : file);
  return (
    <span class="mono site-line" title={text} data-whole={text}>
      <span>{text.slice(0, cut)}</span>
      <span>{text.slice(cut)}</span>
    </span>
  );
}

/** On paper, where nothing unfolds, the frames of C++ between those of Python are left out: they fill page after page. */
export function Frames({ of }: { of: readonly FrameText[] }) {
  const t = useTexts();
  if (of.length === 0) return <p class="faint">{t.life.noStack}</p>;
  const native = of.some((frame) => !isNative(frame)) ? of.filter(isNative).length : 0;
  return (
    <>
      {native > 0 && <p class="faint on-paper">{t.life.notPrinted(native)}</p>}
      <Copy text={of.map((frame) => `${frame.file}:${frame.line}:${frame.function}`).join("\n")} label={t.life.copyStack} />
      <ol class="stack">
        {of.map((frame, i) => (
          <li key={i} value={i + 1} class={native > 0 && isNative(frame) ? "native" : ""}>
            {frame.function || "??"}
            <span class="where">{framePlace(frame)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
