// Commands: what can be done by key. Each carries its name, so the help page is made from this list
// and never tells of a key that does nothing.

import { useEffect } from "preact/hooks";
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

export const commands = new Store<readonly Command[]>([]);

/** Offers commands while the component is shown. A view's own win a key. */
export function useCommands(list: readonly Command[]): void {
  useEffect(() => {
    commands.update((all) => [...all, ...list]);
    return () => commands.update((all) => all.filter((command) => !list.includes(command)));
  });
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
    const having = commands.value.filter((each) => each.keys.includes(key));
    const command = having.findLast((each) => each.scope === "view") ?? having.at(-1);
    if (!command) return;
    event.preventDefault();
    command.run();
  });
}
