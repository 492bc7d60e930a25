// Colours of bands and bars. Categories have a fixed colour each, told apart also without red and green
// (after Okabe and Ito, with lightness as the second cue); other classes take them in turn.

/** By category id, in the core's order of categories. */
export const CATEGORY_COLOURS: Readonly<Record<string, string>> = {
  workspace: "#8c6d46",
  gradient: "#d55e00",
  optimizer: "#0072b2",
  optimizer_temporary: "#7fb2d9",
  kv_cache: "#6a3d9a",
  parameter: "#009e73",
  communication: "#b07aa1",
  backward: "#e69f00",
  activation: "#56b4e9",
  input: "#f0e442",
  other: "#a3a3a3",
  unknown: "#6e7681",
};

export const TURN = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6a3d9a", "#b8ad1f", "#8c6d46", "#7fb2d9", "#b35c8b", "#4d9078"];

/** For classes that have an order (sizes, ages): from dark to light, as viridis does it. */
const RAMP = ["#482576", "#453781", "#404688", "#39558c", "#33638d", "#2d718e", "#287d8e", "#238a8d", "#1f968b", "#20a386", "#29af7f", "#3dbc74", "#56c667", "#75d054", "#95d840", "#bade28", "#dde318", "#fde725"];

export const inOrder = (colourBy: string) => colourBy === "size_class" || colourBy === "age";

export function categoryColour(id: string): string {
  return CATEGORY_COLOURS[id] ?? "#6e7681";
}

/** A pixel of ImageData, red in the lowest byte. */
export function pixel(hex: string): number {
  const rgb = Number.parseInt(hex.slice(1), 16);
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}

export function paletteFor(colourBy: string): { css: readonly string[]; pixels: number[] } {
  const css = colourBy === "category" ? Object.values(CATEGORY_COLOURS) : inOrder(colourBy) ? RAMP : TURN;
  return { css, pixels: css.map(pixel) };
}
