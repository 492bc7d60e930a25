// How wide an element is, as its place on the page grows and shrinks: what is drawn by hand is laid out for it.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The element to watch, and its width, at least so much; 0 until it is there. */
export function useWidth(least = 64) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setWidth(Math.max(least, element.clientWidth)));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return [frame, width] as const;
}
