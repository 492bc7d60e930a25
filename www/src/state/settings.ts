// What the page remembers between visits: how it speaks and looks, and how files are read and saved; never a file or
// its name. Storage may be refused (a sandboxed frame, a strict browser), so every access is guarded.

import { Store, useStore } from "./store";

export type Language = "en" | "zh";
export type Theme = "system" | "light" | "dark";

export interface Settings {
  language: Language;
  theme: Theme;
  /** Bytes of wasm memory a file may take; null: what the browser can give. */
  budget: number | null;
  /** The user's own rules of categories, one a line. */
  rules: string;
  /** What is saved names no directories and no users. */
  stripPaths: boolean;
}

const KEY = "hbmlens.settings";
const GIB = 2 ** 30;

function preferredLanguage(): Language {
  return navigator.languages.some((tag) => tag.toLowerCase().startsWith("zh")) &&
    !(navigator.language ?? "").toLowerCase().startsWith("en")
    ? "zh"
    : "en";
}

function load(): Settings {
  const fresh: Settings = { language: preferredLanguage(), theme: "system", budget: null, rules: "", stripPaths: false };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>;
    if (kept.language === "en" || kept.language === "zh") fresh.language = kept.language;
    if (kept.theme === "light" || kept.theme === "dark") fresh.theme = kept.theme;
    if (typeof kept.budget === "number" && kept.budget > 0) fresh.budget = kept.budget;
    if (typeof kept.rules === "string") fresh.rules = kept.rules;
    if (typeof kept.stripPaths === "boolean") fresh.stripPaths = kept.stripPaths;
  } catch {
    // Without storage the defaults stand.
  }
  return fresh;
}

export const settings = new Store<Settings>(load());

export function change(part: Partial<Settings>): void {
  settings.update((now) => ({ ...now, ...part }));
  try {
    localStorage.setItem(KEY, JSON.stringify(settings.value));
  } catch {
    // It then lasts for this visit.
  }
}

export const useSettings = () => useStore(settings);

/** The budget in bytes. A wasm memory ends at 4 GiB, and a machine with little memory gives less. */
export function budgetBytes(): number {
  if (settings.value.budget !== null) return settings.value.budget;
  const machine = (navigator as { deviceMemory?: number }).deviceMemory ?? 8;
  return Math.min(3.5 * GIB, (machine * GIB) / 2);
}

/** Puts the theme on the document, where the style sheet's variables follow it. */
export function applyTheme(only?: "light"): void {
  const { language } = settings.value;
  const theme = only ?? settings.value.theme;
  const root = document.documentElement;
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset["theme"] = dark ? "dark" : "light";
  root.lang = language === "zh" ? "zh-CN" : "en";
  themeVersion.update((n) => n + 1);
}

/** Counts theme changes: drawings on canvas read the colours anew when it moves. */
export const themeVersion = new Store(0);
