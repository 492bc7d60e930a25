// Moments of a run as text. They count from the run's base, which only a BigInt holds exactly.

import { bytes, axisBytes, span } from "../format";

/** A moment after the base: "12.3 ms". */
export const clock = (nanos: number, resolution = 1000): string => span(nanos, resolution);

/** Microseconds since the epoch with all digits: "1779785515596661.420". */
export function absoluteMicros(base: string, nanos: number): string {
  const all = BigInt(base) + BigInt(Math.round(nanos));
  const sign = all < 0n ? "-" : "";
  const size = all < 0n ? -all : all;
  return `${sign}${size / 1000n}.${String(size % 1000n).padStart(3, "0")}`;
}

/** The base as a date in UTC: "2026-05-26 08:51:55.596661420 UTC". Relative clocks have none. */
export function baseDate(base: string): string {
  const all = BigInt(base);
  // Anything before 2000 is no time since the epoch.
  if (all < 946_684_800_000_000_000n) return `${absoluteMicros(base, 0)} µs`;
  const date = new Date(Number(all / 1_000_000n)).toISOString().replace("T", " ").slice(0, 19);
  return `${date}.${String(all % 1_000_000_000n).padStart(9, "0")} UTC`;
}

/** What the scripts that draw need of texts. */
export const drawn = {
  bytes: (n: number, step: number) => (n < 0 ? "−" + axisBytes(-n, step) : axisBytes(n, step)),
  time: (nanos: number, resolution: number) => span(nanos, resolution),
};

/** A figure that may be negative, as rows of which only the release was seen. */
export const signed = (n: number) => bytes(n);
