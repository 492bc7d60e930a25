// How high a drawing may be: what the window leaves beside the rest of its view.

import { useEffect, useState } from "preact/hooks";

export function useRoom(around: number, least: number, most: number): number {
  const fitting = () => Math.min(most, Math.max(least, window.innerHeight - around));
  const [height, setHeight] = useState(fitting);
  useEffect(() => {
    const listener = () => setHeight(fitting());
    addEventListener("resize", listener);
    return () => removeEventListener("resize", listener);
  }, []);
  return height;
}
