// Measuring a text takes as long as writing it, and what a drawing names it names again in the next.

const MOST = 2000;

/** Widths of texts in one font, which the context has at the time. */
export function textWidths(): (context: CanvasRenderingContext2D, text: string) => number {
  const known = new Map<string, number>();
  return (context, text) => {
    let width = known.get(text);
    if (width === undefined) {
      if (known.size >= MOST) known.clear();
      known.set(text, (width = context.measureText(text).width));
    }
    return width;
  };
}
