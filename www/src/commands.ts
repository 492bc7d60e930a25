// Commands: what can be done by key. Each carries its name, so the help page is made from this list
// and never tells of a key that does nothing.

import { useEffect, useRef } from "preact/hooks";
import { Store } from "./state/store";

export interface Command {
  id: string;
  name: string;
  /** As `KeyboardEvent.key`, lower case; several where more than one does it. */
  keys: readonly string[];
  run: () => void;
  /** Where it belongs in the help: everywhere, or the view that is shown. */
  scope: "everywhere" | "view";
}

/** What each component offers that is shown. A component keeps its place, so that rendering it again tells nobody. */
const offers = new Set<{ list: readonly Command[] }>();

/** Moves when other commands, or commands of other names, are offered. */
export const commandsVersion = new Store(0);

export const commands = (): Command[] => [...offers].flatMap((offer) => offer.list);

/** Offers commands while the component is shown. A view's own win a key. */
export function useCommands(list: readonly Command[]): void {
  const offer = useRef({ list }).current;
  offer.list = list;
  useEffect(() => {
    offers.add(offer);
    return () => void offers.delete(offer);
  }, []);
  const names = list.map(({ id, name }) => `${id} ${name}`).join();
  useEffect(() => {
    commandsVersion.update((n) => n + 1);
    return () => commandsVersion.update((n) => n + 1);
  }, [names]);
}

function typing(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return !!element?.closest?.("input, textarea, select, [contenteditable=true]");
}

export function listenForKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    // A dialog keeps its keys: Esc closes it, and nothing behind it moves.
    if (document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (typing(event.target) && key !== "escape") return;
    // Enter and Space belong to the focused button.
    if ((key === "enter" || key === " ") && (event.target as HTMLElement | null)?.closest?.("button, a, summary, [role]")) return;
    const having = commands().filter((each) => each.keys.includes(key));
    const command = having.findLast((each) => each.scope === "view") ?? having.at(-1);
    if (!command) return;
    event.preventDefault();
    command.run();
  });
}
