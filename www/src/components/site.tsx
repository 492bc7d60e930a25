// A frame of the core as one line of text.

import type { FrameText } from "../core/protocol";
import { useTexts } from "../i18n";
import { selecting } from "../state/selection";
import { go } from "../state/url";
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

/** Leads to the timeline with all allocations of a frame lit up. */
export function FindButton({ frame }: { frame: FrameText | null | undefined }) {
  const t = useTexts();
  if (!frame) return null;
  return (
    <button type="button" class="small" title={t.life.sameSiteMeans} onClick={() => go({ view: "timeline", range: null, ...selecting({ find: `${frame.file}:${frame.line}` }) })}>
      {t.oom.find}
    </button>
  );
}
