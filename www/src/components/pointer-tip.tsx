// What is told beside the pointer. It hangs in the window, not in the drawing: a low drawing would cut it off.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Pixels between the pointer and the tip, and between the tip and the window's edge. */
const [BESIDE, EDGE] = [14, 4];

/** Where a tip begins along one direction: after the pointer, else before it, and always inside the window. */
export function tipPlace(pointer: number, size: number, room: number): number {
  const after = pointer + BESIDE;
  const place = after + size <= room - EDGE ? after : pointer - BESIDE - size;
  return Math.max(EDGE, Math.min(place, room - EDGE - size));
}

/** `x` and `y` are the pointer's place in the window. */
export function PointerTip({ x, y, children }: { x: number; y: number; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const place = () => {
      element.style.left = `${tipPlace(x, element.offsetWidth, document.documentElement.clientWidth)}px`;
      element.style.top = `${tipPlace(y, element.offsetHeight, window.innerHeight)}px`;
    };
    place();
    // What is asked for only now makes it larger.
    const watch = new ResizeObserver(place);
    watch.observe(element);
    return () => watch.disconnect();
  }, [x, y]);
  return (
    <div ref={box} class="chart-tip wide at-pointer">
      {children}
    </div>
  );
}
