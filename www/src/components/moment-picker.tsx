// Chooses the moment that a view looks at: the peak, the end, or any event; kept in the address, so that
// every view looks at the same one.

import { useQuery } from "../core/use-query";
import type { Doc } from "../core/use-query";
import type { Device, Request } from "../core/protocol";
import { count } from "../format";
import { useTexts } from "../i18n";
import { useStore } from "../state/store";
import { go, place } from "../state/url";
import { WholeNumber } from "./field";
import { isPinned, pin, pins } from "../compare/sides";
import { find } from "../state/files";

type CurvesRequest = Extract<Request, { type: "curves" }>;

/** `standard` is the moment that a view looks at as long as none is chosen. */
export function MomentPicker({ at, device, standard = "peak" }: { at: Doc; device: Device; standard?: "peak" | "end" }) {
  const t = useTexts();
  const here = useStore(place);
  const pinned = useStore(pins);
  const { data } = useQuery<CurvesRequest>(at, { type: "curves", device, axis: "event", from: null, to: null, width: 1 }, "moment-picker");
  if (!data) return null;
  const last = data.states[1] - 1;
  const usual = standard === "peak" ? data.peak_state : last;
  const state = here.at === null ? usual : Math.min(here.at, last);
  const choose = (moment: number) => go({ at: moment === usual ? null : moment });
  const file = find(here.file);
  const own = { file: file?.key ?? "", device: String(device), moment: state === data.peak_state ? "peak" : state === last ? "end" : String(state) };
  const isOwn = isPinned(pinned, own);
  const chosen = (of: number) => (state === of ? "chosen" : "");
  const name = state === data.peak_state ? ` · ${t.moment.peak}` : state === last ? ` · ${t.moment.end}` : "";
  return (
    <>
      {/* Paper has no fields to read it from. */}
      {last > 0 && (
        <p class="on-paper">
          {t.curves.atEvent(state - 1)} {t.moment.of(count(last))}
          {name}
        </p>
      )}
      <div class="row toolbar">
        {/* Without events there is one moment. */}
        {last > 0 && (
          <>
            <div class="choice" role="group" aria-label={t.moment.which}>
              <button type="button" class={chosen(data.peak_state)} aria-pressed={state === data.peak_state} onClick={() => choose(data.peak_state)}>
                {t.moment.peak}
              </button>
              <button type="button" class={chosen(last)} aria-pressed={state === last} onClick={() => choose(last)}>
                {t.moment.end}
              </button>
            </div>
            <WholeNumber value={state === 0 ? null : state - 1} from={0} to={last - 1} onValue={(event) => go({ at: event + 1 })}>
              {t.moment.event}
            </WholeNumber>
            <span class="faint">{state === 0 ? t.curves.atEvent(-1) : t.moment.of(count(last))}</span>
          </>
        )}
        {file && (
          <button type="button" class={isOwn ? "small pinned" : "small"} aria-pressed={isOwn} onClick={() => pin(own)}>
            {isOwn ? t.compare.unpin : t.compare.pin}
          </button>
        )}
      </div>
    </>
  );
}
