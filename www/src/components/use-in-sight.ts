// A panel beside a view stands under it where the window is narrow, and would open out of sight.

import { useEffect, useRef } from "preact/hooks";

/** Scrolls as little as shows the panel, when `what` it tells changes and once it is told. The focus stays. */
export function useInSight(what: unknown, told: boolean) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = panel.current;
    // Beside the view it sticks to the window and is in sight.
    if (element && getComputedStyle(element).position === "static") element.scrollIntoView({ block: "nearest" });
  }, [what, told]);
  return panel;
}
