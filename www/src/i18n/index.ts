// The texts of the chosen language.

import { settings, useSettings } from "../state/settings";
import { en } from "./en";
import type { Texts } from "./en";
import { zh } from "./zh";

export type { Texts };

export const languages = { en: "English", zh: "中文" } as const;

export const texts = (): Texts => (settings.value.language === "zh" ? zh : en);

/** The texts; the component renders again when the language changes. */
export function useTexts(): Texts {
  return useSettings().language === "zh" ? zh : en;
}

/** The text of a key that comes from a file or the core, where it may be one the page does not know. */
export function textOf(map: object, key: string, otherwise: string = key): string {
  const own = Object.hasOwn(map, key) ? (map as Record<string, unknown>)[key] : undefined;
  return typeof own === "string" ? own : otherwise;
}
