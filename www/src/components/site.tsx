// The way from a frame of the core to the allocations it made.

import type { FrameText } from "../core/protocol";
import { useTexts } from "../i18n";
import { selecting } from "../state/selection";
import { go } from "../state/url";
import { frameSearch } from "./frames";

/** Leads to the timeline with all allocations of a frame lit up. */
export function FindButton({ frame }: { frame: FrameText | null | undefined }) {
  const t = useTexts();
  if (!frame) return null;
  return (
    <button type="button" class="small" title={t.life.sameSiteMeans} onClick={() => go({ view: "timeline", range: null, ...selecting({ find: frameSearch(frame) }) })}>
      {t.oom.find}
    </button>
  );
}
