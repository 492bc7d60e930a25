// Round steps for axes, and places for what is written along them.

export { byteStep, placeLabels } from "../../../src/export/ops_page/span";

/** The step of 1, 2 or 5 times a power of ten at or above `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999) ?? 10 * power;
}
