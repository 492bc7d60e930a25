// A frame of the core as one line of text.

import type { FrameText } from "../core/protocol";
import { useTexts } from "../i18n";
import { Name } from "./basics";

export function Site({ frame, most = 60 }: { frame: FrameText | null | undefined; most?: number }) {
  const t = useTexts();
  if (!frame) return <span class="faint">{t.life.noStack}</span>;
  return (
    <span class="mono">
      <Name text={`${frame.function} ${frame.file}:${frame.line}`} most={most} />
    </span>
  );
}
