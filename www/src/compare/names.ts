// What a file's name says: which rank of which role, and where it stands in a series. The terminal's rules
// (src/analysis/ranks/names.rs), for the files of the page.

import type { RankName } from "./types";

const RANK = ["rank", "globalrank", "worldrank", "rk"];
/** Say the rank only where no name says `rank`. */
const CARD = ["gpu", "npu", "card", "device", "dev", "worker"];
const ORDER = ["step", "iter", "iteration", "epoch", "it", "t", "time", "ts", "batch"];
const ROLES = ["actor", "critic", "reference", "ref", "rollout", "reward", "teacher", "student", "generator", "trainer", "policy", "value", "train", "infer", "inference", "eval", "prefill", "decode", "encoder", "decoder", "vit", "llm"];

/** Words in lower case, numbers, and "/" between folders. */
type Token = string | number;

function tokensOf(path: string): Token[] {
  const bare = path.replace(/\.[^./\\]*$/, "");
  return (bare.match(/\d+|\p{L}+|[/\\]/gu) ?? []).map((part) => (/^\d/.test(part) ? (part.length > 15 ? part : Number(part)) : part === "\\" ? "/" : part.toLowerCase()));
}

function numberAfter(tokens: readonly Token[], words: readonly string[]): number | null {
  for (let i = tokens.length - 2; i >= 0; i--) {
    const [word, number] = [tokens[i], tokens[i + 1]];
    if (typeof word === "string" && words.includes(word) && typeof number === "number") return number;
  }
  return null;
}

/** The last number in each name that no word claims and that differs among the names. */
function bareNumbers(all: readonly Token[][]): (number | null)[] {
  const numbers = all.map((tokens) => {
    const name = tokens.slice(tokens.lastIndexOf("/") + 1);
    return name.filter((token, i): token is number => typeof token === "number" && ![...RANK, ...CARD].includes(String(name[i - 1]))).reverse();
  });
  const least = Math.min(...numbers.map((each) => each.length));
  for (let i = 0; i < least; i++) {
    const column = numbers.map((each) => each[i] ?? null);
    if (column.some((number) => number !== column[0])) return column;
  }
  return all.map(() => null);
}

/** 0, 1, 2 … or 1, 2, 3 … in any order, each once. */
function isRun(numbers: readonly (number | null)[]): boolean {
  const sorted = numbers.filter((number) => number !== null).sort((x, y) => x - y);
  const first = sorted[0] ?? 0;
  return (first === 0 || first === 1) && sorted.every((number, i) => number === first + i);
}

export function readNames(paths: readonly string[]): RankName[] {
  const tokens = paths.map(tokensOf);
  const nothing = (all: readonly (number | null)[]) => all.every((number) => number === null);
  let ranks = tokens.map((each) => numberAfter(each, RANK));
  if (nothing(ranks)) ranks = tokens.map((each) => numberAfter(each, CARD));
  let orders = tokens.map((each) => numberAfter(each, ORDER));
  const bare = bareNumbers(tokens);
  if (nothing(ranks) && nothing(orders)) {
    if (isRun(bare)) ranks = bare;
    else orders = bare;
  } else if (nothing(orders)) orders = bare;
  const names = tokens.map((each, i) => ({ role: String(each.findLast((token) => typeof token === "string" && ROLES.includes(token)) ?? ""), rank: ranks[i] ?? null, order: orders[i] ?? null }));
  const peers = (name: (typeof names)[number]) => names.filter((other) => other.role === name.role && other.rank === name.rank);
  const inOrder = (all: typeof names) => all.length > 1 && all.every((each) => each.order !== null);
  // Files that only their folder tells apart get it as role, so that two jobs never fall into one.
  const told = names.map((name, i) => (name.rank !== null && name.role === "" && peers(name).length > 1 && !inOrder(peers(name)) ? { ...name, role: (paths[i] ?? "").split(/[/\\]/).at(-2) ?? "" } : name));
  return told.map((name) => ({ ...name, series: inOrder(told.filter((other) => other.role === name.role && other.rank === name.rank)) }));
}
