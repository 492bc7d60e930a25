// What is compared: a file or a pinned moment, its device, and the moment within it.

import { WholeNumber } from "../components/field";
import { count } from "../format";
import { useTexts } from "../i18n";
import { find } from "../state/files";
import type { FileEntry } from "../state/files";
import { useStore } from "../state/store";
import { devicesOf, pins } from "./sides";
import type { Choice } from "./sides";

function busiest(file: FileEntry | undefined): string {
  if (file?.status.is !== "ready") return "0";
  return String([...file.status.summary.devices].sort((x, y) => y.events - x.events)[0]?.device ?? "0");
}

/** What is compared before anything is chosen: this file's peak and end, or another file's end with this one's. */
export function usual(file: FileEntry, device: string, all: readonly FileEntry[]): [Choice, Choice] {
  const end = { file: file.key, device, moment: "end" };
  const other = all.find((each) => each.key !== file.key);
  if (!other) return [{ ...end, moment: "peak" }, end];
  const ends = [other, file].map((each) => ({ file: each.key, device: devicesOf(each).map(String).includes(device) ? device : busiest(each), moment: "end" }));
  const inOrder = all.indexOf(other) < all.indexOf(file) ? ends : ends.reverse();
  return inOrder as [Choice, Choice];
}

function momentName(moment: string, t: ReturnType<typeof useTexts>): string {
  return moment === "peak" || moment === "end" ? t.compare.moments[moment] : `${t.compare.event} ${count(Number(moment) - 1)}`;
}

export function Picker({ label, value, onChange, all }: { label: string; value: Choice; onChange: (next: Choice) => void; all: readonly FileEntry[] }) {
  const t = useTexts();
  const pinned = useStore(pins);
  const file = find(value.file);
  const devices = devicesOf(file).map(String);
  const pinOf = pinned.findIndex((each) => each.file === value.file && each.device === value.device && each.moment === value.moment);
  const isEvent = value.moment !== "peak" && value.moment !== "end";
  const events = file?.status.is === "ready" ? (file.status.summary.devices.find((each) => String(each.device) === value.device)?.events ?? 0) : 0;
  return (
    <div class="side-picker" role="group" aria-label={t.compare.side(label)}>
      <b class="side-letter">{label}</b>
      <select
        aria-label={t.compare.file(label)}
        value={pinOf >= 0 ? `pin ${pinOf}` : `file ${value.file}`}
        onChange={(event) => {
          const [kind, ...rest] = event.currentTarget.value.split(" ");
          const key = rest.join(" ");
          const pin = pinned[Number(key)];
          if (kind === "pin" && pin) onChange(pin);
          else if (kind === "file") onChange({ file: key, device: devicesOf(find(key)).map(String).includes(value.device) ? value.device : busiest(find(key)), moment: isEvent ? "end" : value.moment });
        }}
      >
        <optgroup label={t.app.files}>
          {all.map((each) => (
            <option key={each.key} value={`file ${each.key}`}>
              {each.path}
            </option>
          ))}
        </optgroup>
        {pinned.length > 0 && (
          <optgroup label={t.compare.pinned}>
            {pinned.map((each, i) => (
              <option key={i} value={`pin ${i}`}>
                {`${find(each.file)?.name ?? each.file} · ${momentName(each.moment, t)}`}
              </option>
            ))}
          </optgroup>
        )}
      </select>
      {devices.length > 1 && (
        <select aria-label={`${t.app.device} ${label}`} value={value.device} onChange={(event) => onChange({ ...value, device: event.currentTarget.value, moment: isEvent ? "end" : value.moment })}>
          {devices.map((each) => (
            <option key={each} value={each}>
              {each === "host" ? t.app.host : `${t.app.device} ${each}`}
            </option>
          ))}
        </select>
      )}
      <select aria-label={t.compare.moment(label)} value={isEvent ? "event" : value.moment} onChange={(event) => onChange({ ...value, moment: event.currentTarget.value === "event" ? "1" : event.currentTarget.value })}>
        <option value="end">{t.compare.moments.end}</option>
        <option value="peak">{t.compare.moments.peak}</option>
        <option value="event">{t.compare.afterEvent}</option>
      </select>
      {isEvent && <WholeNumber label={`${t.compare.event} ${label}`} value={Number(value.moment) > 0 ? Number(value.moment) - 1 : null} from={0} to={events - 1} onValue={(event) => onChange({ ...value, moment: String(event + 1) })} />}
    </div>
  );
}
