// Areas that are as square as they can be (the squarified layout of Bruls, Huizing and van Wijk). Pure, so
// it is tested without a browser.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Boxes whose areas are as the weights, which must not rise; in the order of the weights. */
export function squarify(weights: readonly number[], room: Box): Box[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const boxes: Box[] = [];
  if (total <= 0 || room.width <= 0 || room.height <= 0) return weights.map(() => ({ x: room.x, y: room.y, width: 0, height: 0 }));
  const perWeight = (room.width * room.height) / total;
  let rest = room;
  let at = 0;
  while (at < weights.length) {
    const short = Math.min(rest.width, rest.height);
    let count = 0;
    let sum = 0;
    let worst = Infinity;
    // A row takes one more as long as its least square box becomes more square.
    while (at + count < weights.length) {
      const next = sum + (weights[at + count] ?? 0) * perWeight;
      const now = ratio((weights[at] ?? 0) * perWeight, (weights[at + count] ?? 0) * perWeight, next, short);
      if (now > worst) break;
      worst = now;
      sum = next;
      count++;
    }
    const thick = short > 0 ? sum / short : 0;
    let along = 0;
    for (const weight of weights.slice(at, at + count)) {
      const length = thick > 0 ? (weight * perWeight) / thick : 0;
      boxes.push(rest.width >= rest.height ? { x: rest.x, y: rest.y + along, width: thick, height: length } : { x: rest.x + along, y: rest.y, width: length, height: thick });
      along += length;
    }
    rest = rest.width >= rest.height ? { x: rest.x + thick, y: rest.y, width: Math.max(0, rest.width - thick), height: rest.height } : { x: rest.x, y: rest.y + thick, width: rest.width, height: Math.max(0, rest.height - thick) };
    at += count;
  }
  return boxes;
}

/** How far from a square the worst box of a row is. */
function ratio(most: number, least: number, sum: number, side: number): number {
  if (least <= 0 || side <= 0 || sum <= 0) return sum > 0 ? Number.MAX_VALUE : Infinity;
  return Math.max((side * side * most) / (sum * sum), (sum * sum) / (side * side * least));
}
