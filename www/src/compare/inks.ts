// Colours of differences: more in orange, less in blue, told apart without red and green; paler where little differs.

/** The ink of a difference of that sign. */
export function diffInk(diff: number, alpha = 1): string {
  const dark = document.documentElement.dataset["theme"] === "dark";
  const rgb = diff >= 0 ? (dark ? "240 138 60" : "205 92 0") : dark ? "96 165 250" : "20 98 190";
  return `rgb(${rgb} / ${alpha})`;
}
