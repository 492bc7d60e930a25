// What the rules for categories are called: the same words as the terminal's, out of the same catalogue. Why a
// life has its category the core tells by the name of a rule where it has nothing more to say.

import en from "../../../src/text/catalogue/attribution.en.txt";
import zh from "../../../src/text/catalogue/attribution.zh.txt";

const rulesOf = (catalogue: string): ReadonlyMap<string, string> => new Map([...catalogue.matchAll(/^rule\.(\w+) = (.+)$/gm)].map(([, id = "", text = ""]) => [id, text.trim()]));

const rules = { en: rulesOf(en), zh: rulesOf(zh) };

/** Undefined for a rule of the user's own, whose name says what it is. */
export const ruleText = (id: string, language: "en" | "zh"): string | undefined => rules[language].get(id);
