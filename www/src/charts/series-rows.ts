// Series as rows of a table. A long series is told in parts, each by what it reaches at most: every n-th point
// would leave out the peaks, which are what a chart is looked at for. Pure, so it is tested without a browser.

export interface Line {
  points: readonly (readonly [number, number])[];
  /** A step holds its value until the next point; between the points of others there is none to tell. */
  kind: "line" | "step" | "bar";
}

/** At most `most` rows: where each begins, and the greatest value of each series in it. */
export function seriesRows(series: readonly Line[], most: number): [number, (number | null)[]][] {
  const places = [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b);
  const rows = Math.min(most, places.length);
  const begins = Array.from({ length: rows }, (_, row) => places[Math.floor((row * places.length) / rows)] ?? 0);
  const columns = series.map(({ points, kind }) => {
    const values: (number | null)[] = begins.map(() => null);
    let row = 0;
    let held: number | null = null;
    const enter = (to: number) => {
      while (row < to) values[++row] = kind === "step" ? held : null;
    };
    for (const [x, value] of points) {
      let at = row;
      while (at + 1 < rows && (begins[at + 1] ?? Infinity) <= x) at++;
      enter(at);
      // A step that changes just where its part begins never holds the value before in it.
      const before = x === begins[at] && values[at] === held ? null : (values[at] ?? null);
      values[at] = before === null ? value : Math.max(before, value);
      held = value;
    }
    enter(rows - 1);
    return values;
  });
  return begins.map((x, row) => [x, columns.map((values) => values[row] ?? null)]);
}
