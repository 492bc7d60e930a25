// What people type into fields, understood: null where nothing stands, undefined where it is no such thing.

export type Typed<T> = T | null | undefined;

/** "512", "1.5 MiB", "2 GB", "1,048,576": bytes as people write them; null where it is no size. */
export function sizeOf(text: string): number | null {
  const found = /^\s*(\d[\d,]*(?:\.\d*)?|\.\d+)\s*(?:([kmgt]?)(?:i?b)?|bytes?)\s*$/i.exec(text);
  if (!found) return null;
  const unit = ["", "k", "m", "g", "t"].indexOf((found[2] ?? "").toLowerCase());
  const size = Math.round(Number((found[1] ?? "").replaceAll(",", "")) * 1024 ** unit);
  return Number.isSafeInteger(size) ? size : null;
}

export const typedSize = (text: string): Typed<number> => (text.trim() === "" ? null : (sizeOf(text) ?? undefined));

/** A whole number within bounds; groups of digits may be told apart by commas. */
export function typedWhole(text: string, from: number, to: number): Typed<number> {
  const plain = text.trim().replaceAll(",", "").replace("−", "-");
  if (plain === "") return null;
  const value = /^-?\d+$/.test(plain) ? Number(plain) : NaN;
  return Number.isSafeInteger(value) && value >= from && value <= to ? value : undefined;
}

/** A number that need not be whole. */
export function typedNumber(text: string, from = -Infinity): Typed<number> {
  if (text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) && value >= from ? value : undefined;
}

/** A whole or half-typed address, or a block's name in Ascend's style, as plain hexadecimal. */
export function typedAddress(text: string): Typed<string> {
  if (text.trim() === "") return null;
  return /^\s*(?:b')?(?:0x)?([0-9a-f]{1,16})(?:_\d+'?)?\s*$/i.exec(text)?.[1]?.toLowerCase();
}
