// Colours of bands and bars. Categories have a fixed colour each, told apart whichever cones one lacks (after Okabe
// and Ito, with lightness as the second cue; the test of this file measures it); other classes take them in turn.

/** By category id, in the core's order of categories. */
export const CATEGORY_COLOURS: Readonly<Record<string, string>> = {
  workspace: "#8c6d46",
  gradient: "#d55e00",
  optimizer: "#0072b2",
  optimizer_temporary: "#a2bdd9",
  kv_cache: "#5d2f8f",
  parameter: "#009e73",
  communication: "#b07aa1",
  backward: "#e69f00",
  activation: "#31acea",
  input: "#f0e442",
  other: "#a3a3a3",
  unknown: "#6c747d",
};

export const TURN = ["#0072b2", "#e69f00", "#0a966b", "#cc79a7", "#59c8fe", "#d55e00", "#5d2f8f", "#e2d274", "#8c6d46", "#559eea", "#aa5381", "#84a694"];

/** For classes that have an order (sizes, ages): from dark to light, as viridis does it. */
const RAMP = ["#482576", "#453781", "#404688", "#39558c", "#33638d", "#2d718e", "#287d8e", "#238a8d", "#1f968b", "#20a386", "#29af7f", "#3dbc74", "#56c667", "#75d054", "#95d840", "#bade28", "#dde318", "#fde725"];

export const inOrder = (colourBy: string) => colourBy === "size_class" || colourBy === "age";

export function categoryColour(id: string): string {
  return CATEGORY_COLOURS[id] ?? "#6c747d";
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
