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

/** "1.5 GiB": for axes, where the numbers are round. */
export function roundBytes(n: number): string {
  return bytes(n).replace(/\.(\d*?)0+ /, (_, digits: string) => (digits === "" ? " " : `.${digits} `));
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

/** A span of nanoseconds in the unit that suits it: "12.3 ms". */
export function span(nanos: number): string {
  const size = Math.abs(nanos);
  if (size < 1e3) return `${nanos.toFixed(0)} ns`;
  if (size < 1e6) return `${trim(nanos / 1e3)} µs`;
  if (size < 1e9) return `${trim(nanos / 1e6)} ms`;
  if (size < 120e9) return `${trim(nanos / 1e9)} s`;
  const seconds = Math.round(nanos / 1e9);
  const part = (n: number) => String(n).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}:${part(minutes)}:${part(seconds % 60)} h` : `${minutes}:${part(seconds % 60)} min`;
}

function trim(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

/** Shortens in the middle, keeping both ends: paths differ at either. */
export function middle(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.ceil((most - 1) * 0.6);
  return `${text.slice(0, most - 1 - tail)}…${text.slice(text.length - tail)}`;
}
