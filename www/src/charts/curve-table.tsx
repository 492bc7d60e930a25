// The curves for those who cannot see them: twenty columns of what is shown.

import { useCallback } from "preact/hooks";
import { Size } from "../components/basics";
import { LazyTable } from "../components/lazy-table";
import { count, span as spanText } from "../format";
import { textOf, useTexts } from "../i18n";
import { sampled } from "./curve-draw";
import type { Curves } from "./curve-draw";
import type { AxisKind } from "./use-span";

const COLUMNS = 20;

export function CurveTable({ data, axis }: { data: Curves; axis: AxisKind }) {
  const t = useTexts();
  const rows = useCallback(() => sampled(data, COLUMNS).map(([x, values]) => [axis === "time" ? spanText(x) : count(Math.round(x)), ...values.map((value, i) => <Size key={i} of={value} />)]), [data, axis]);
  return <LazyTable label={t.curves.table} head={[axis === "time" ? t.curves.byTime : t.curves.byEvent, ...data.lines.map((line) => textOf(t.curves, line.kind))]} rows={rows} />;
}
