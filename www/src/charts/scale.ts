// Round steps for axes.

/** A step of binary units for an axis from 0 to `most`, giving about five lines. */
export function byteStep(most: number): number {
  let step = 1;
  while (most / step > 6) step *= 2;
  // Between two powers of two, 1.5 times the lower one is as easy to read.
  return most / (step * 0.75) <= 6 && step >= 1024 ? step * 0.75 : step;
}
