// Call sites whose memory rises from step to step: their curves' colours, their figures, their stacks.

import type { ComponentChildren } from "preact";
import type { DeviceGrowth } from "../core/protocol";
import { count, percent } from "../format";
import { useTexts } from "../i18n";
import type { Texts } from "../i18n";
import { Size } from "./basics";
import { Frames, frameText } from "./frames";

export type Grower = DeviceGrowth["growth"][number];

/** As many call sites have curves as there are colours. */
export const GROWER_INKS = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/** Short enough for a legend: the file without its directories. */
export const growerName = ({ call_site }: Grower) => frameText({ ...call_site, file: call_site.file.split(/[/\\]/).at(-1) ?? "" });

/** The names of the figures, and the figures of one of them. */
export const growerHead = (t: Texts) => [t.growth.perStep, t.growth.first, t.growth.last, t.growth.rising, t.growth.full];
export const growerFigures = (row: Grower): ComponentChildren[] => [
  <Size key="b" of={row.bytes_per_step} />,
  <Size key="1" of={row.first} />,
  <Size key="l" of={row.last} />,
  percent(row.rising_share, 0),
  row.projected_oom_step == null ? "–" : count(row.projected_oom_step),
];

/** The stack of each that has one, folded. */
export function GrowerStacks({ of }: { of: readonly Grower[] }) {
  const t = useTexts();
  return (
    <>
      {of.map(
        (row, i) =>
          row.stack && (
            <details key={i}>
              <summary>
                {t.life.stack}: {row.call_site.function}
              </summary>
              <Frames of={row.stack} />
            </details>
          ),
      )}
    </>
  );
}
