// A panel beside a view stands under it where the window is narrow, and would open out of sight; so would one
// beside what lies below the window.

import { useEffect, useRef } from "preact/hooks";

/** Of a panel beside a view so much of the window is enough: what was clicked should stay in sight, too. */
const ENOUGH = 0.6;

/**
 * Scrolls as little as shows the panel, when `what` it tells changes and once it is told. The focus stays.
 * Null is told where nothing is to move.
 */
export function useInSight(what: unknown, told: boolean) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = panel.current;
    if (!element || what === null) return;
    if (getComputedStyle(element).position === "static") {
      element.scrollIntoView({ block: "nearest" });
      return;
    }
    // It sticks to the window once that has come to it.
    const scroller = element.closest("main");
    if (!scroller) return;
    const [edge, seen] = [element.getBoundingClientRect(), scroller.getBoundingClientRect()];
    scroller.scrollBy(0, Math.max(0, edge.top + Math.min(edge.height, seen.height * ENOUGH) - seen.bottom));
  }, [what, told]);
  return panel;
}
