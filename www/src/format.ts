// Figures as text: binary units, exact bytes within reach, one way for each kind in the whole page.

const UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** "1.50 GiB", as the core's own `Bytes` prints. */
export function bytes(n: number): string {
  if (n < 0) return "−" + bytes(-n);
  if (n < 1024) return `${n} B`;
  let value = n / 1024;
  let unit = 0;
  while (value >= 1023.995 && unit + 1 < UNITS.length) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(2)} ${UNITS[unit]}`;
}

/** "1.5 GiB": for axes whose marks are `step` apart, with the digits that tell them apart. */
export function axisBytes(n: number, step: number): string {
  let unit = 0;
  let size = 1;
  while (n / size >= 1023.995 && unit < UNITS.length) {
    size *= 1024;
    unit++;
  }
  const digits = unit === 0 ? 0 : Math.min(6, Math.max(0, Math.ceil(-Math.log10(step / size) + 1.3)));
  const text = (n / size).toFixed(digits);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ${unit === 0 ? "B" : UNITS[unit - 1]}`;
}

/** "1,610,612,736 B": what a hover shows beside `bytes`. */
export function exactBytes(n: number): string {
  return `${count(n)} B`;
}

/** "418,220". */
export function count(n: number): string {
  const text = String(Math.trunc(Math.abs(n))).replace(/\B(?=(\d{3})+$)/g, ",");
  return n < 0 ? "−" + text : text;
}

/** A share from 0 to 1 as "12.3 %". */
export function percent(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)} %`;
}

/**
 * A span of nanoseconds in the unit that suits it: "12.3 ms". With a resolution, as many digits as tell
 * apart what is that far from each other.
 */
export function span(nanos: number, resolution = 0): string {
  const size = Math.abs(nanos);
  if (size < 1e3) return `${nanos.toFixed(0)} ns`;
  if (size < 1e6) return `${trim(nanos, 1e3, resolution)} µs`;
  if (size < 1e9) return `${trim(nanos, 1e6, resolution)} ms`;
  if (size < 120e9) return `${trim(nanos, 1e9, resolution)} s`;
  const seconds = resolution > 0 && resolution < 1e9 ? nanos / 1e9 : Math.round(nanos / 1e9);
  const part = (n: number) => String(n).padStart(2, "0");
  const rest = seconds % 60;
  const restText = Number.isInteger(rest) ? part(rest) : (rest < 10 ? "0" : "") + trim(rest * 1e9, 1e9, resolution);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}:${part(minutes)}:${restText} h` : `${minutes}:${restText} min`;
}

function trim(nanos: number, unit: number, resolution: number): string {
  const value = nanos / unit;
  const usual = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const wanted = resolution > 0 ? Math.ceil(-Math.log10(resolution / unit)) : 0;
  return value.toFixed(Math.min(9, Math.max(usual, wanted)));
}

/** Shortens in the middle, keeping both ends: paths differ at either. */
export function middle(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.ceil((most - 1) * 0.6);
  return `${text.slice(0, most - 1 - tail)}…${text.slice(text.length - tail)}`;
}
