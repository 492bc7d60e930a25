// What stands above the timeline: what it shows and in which colours, what a drag does, the axis, the search.

import type { RefObject } from "preact";
import type { Mode } from "../charts/band-canvas";
import type { TimelineRequest } from "../charts/use-drawing";
import type { AxisKind } from "../charts/use-span";
import { useTexts } from "../i18n";
import { AxisChoice, Choice } from "./basics";
import { Search } from "./timeline-parts";
import type { Hits } from "./timeline-parts";
import { steady } from "./steady";

export type Subject = TimelineRequest["subject"];
export type ColourBy = TimelineRequest["colour_by"];

interface Props {
  subject: Subject;
  onSubject: (subject: Subject) => void;
  colourBy: ColourBy;
  onColourBy: (colourBy: ColourBy) => void;
  curves: boolean;
  onCurves: (curves: boolean) => void;
  mode: Mode;
  onMode: (mode: Mode) => void;
  axis: AxisKind;
  /** Null where there is one axis only. */
  onAxis: ((axis: AxisKind) => void) | null;
  searchBox: RefObject<HTMLInputElement | null>;
  find: string;
  hits: Hits | undefined;
  onFind: (text: string) => void;
  onWalk: (step: number) => void;
}

export const Toolbar = steady((props: Props) => {
  const t = useTexts();
  const { subject, colourBy, curves, mode, axis } = props;
  return (
    <div class="row toolbar">
      <Choice label={t.timeline.subject} value={subject} onChange={props.onSubject} options={Object.entries(t.timeline.subjects) as [Subject, string][]} />
      {subject !== "segments" && (
        <label class="row">
          <span class="faint">{t.timeline.colourBy}</span>
          <select value={colourBy} onChange={(event) => props.onColourBy(event.currentTarget.value as ColourBy)}>
            {Object.entries(t.timeline.colours).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="row">
        <input type="checkbox" checked={curves} onChange={() => props.onCurves(!curves)} /> {t.timeline.curves}
      </label>
      <Choice label={t.timeline.mode} value={mode} onChange={props.onMode} options={Object.entries(t.timeline.modes) as [Mode, string][]} />
      {props.onAxis && <AxisChoice value={axis} onChange={props.onAxis} />}
      <span class="grow" />
      <Search box={props.searchBox} text={props.find} hits={props.hits} onText={props.onFind} onWalk={props.onWalk} />
    </div>
  );
});
