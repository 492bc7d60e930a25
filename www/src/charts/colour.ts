// Drawings take their colours from the style sheet, whatever draws them.

import { themeVersion } from "../state/settings";

const known = new Map<string, string>();
let knownFor = -1;

/** The value of a CSS variable. */
export function colour(name: string): string {
  // Asking the style sheet costs more than most of what is drawn with the answer.
  if (knownFor !== themeVersion.value) known.clear();
  knownFor = themeVersion.value;
  let value = known.get(name);
  if (value === undefined) known.set(name, (value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()));
  return value;
}
