// A drawing context that writes SVG. The charts draw on it as on a canvas; what they use of the interface is
// here and nothing else. Coordinates are those before scaling, so the picture has the chart's own size.

type Paint = string | CanvasGradient | CanvasPattern;

interface State {
  fillStyle: Paint;
  strokeStyle: Paint;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  dash: number[];
  /** Clipping groups that are open. */
  clips: number;
}

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end", end: "end" };
const BASELINES: Partial<Record<CanvasTextBaseline, string>> = { middle: "central", top: "text-before-edge", hanging: "hanging", bottom: "text-after-edge" };

export const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const short = (value: number): string => String(Math.round(value * 100) / 100);

let pictures = 0;

export class SvgContext implements State {
  fillStyle: Paint = "#000";
  strokeStyle: Paint = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  dash: number[] = [];
  clips = 0;
  imageSmoothingEnabled = true;
  /** What a unit is in pixels of the canvas. */
  ratio = 1;
  readonly #out: string[] = [];
  readonly #states: State[] = [];
  /** Measures texts and knows what a colour's name means. */
  readonly #real = document.createElement("canvas").getContext("2d");
  readonly #id = ++pictures;
  #clipIds = 0;
  #path = "";

  get isEmpty(): boolean {
    return this.#out.length === 0;
  }

  /** The elements, all groups closed. */
  body(): string {
    return this.#out.join("") + "</g>".repeat(this.clips);
  }

  setTransform(a: number): void {
    this.ratio = a;
  }
  scale(x: number): void {
    this.ratio *= x;
  }
  clearRect(): void {}
  setLineDash(dash: number[]): void {
    this.dash = dash;
  }
  createPattern(image: CanvasImageSource, repetition: string | null): CanvasPattern | null {
    return this.#real?.createPattern(image, repetition) ?? null;
  }
  measureText(text: string): TextMetrics {
    const real = this.#real as CanvasRenderingContext2D;
    real.font = this.font;
    return real.measureText(text);
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash, clips } = this;
    this.#states.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash, clips });
  }
  restore(): void {
    const state = this.#states.pop();
    if (!state) return;
    this.#out.push("</g>".repeat(this.clips - state.clips));
    Object.assign(this, state);
  }
  clip(): void {
    const id = `clip-${this.#id}-${++this.#clipIds}`;
    this.#out.push(`<clipPath id="${id}"><path d="${this.#path}"/></clipPath><g clip-path="url(#${id})">`);
    this.clips++;
  }

  beginPath(): void {
    this.#path = "";
  }
  moveTo(x: number, y: number): void {
    this.#path += `M${short(x)} ${short(y)}`;
  }
  lineTo(x: number, y: number): void {
    this.#path += `${this.#path === "" ? "M" : "L"}${short(x)} ${short(y)}`;
  }
  closePath(): void {
    this.#path += "Z";
  }
  rect(x: number, y: number, width: number, height: number): void {
    this.#path += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
  }
  /** Whole circles are all that the charts draw. */
  arc(x: number, y: number, radius: number): void {
    const r = short(radius);
    this.#path += `M${short(x - radius)} ${short(y)}a${r} ${r} 0 1 0 ${short(2 * radius)} 0a${r} ${r} 0 1 0 ${short(-2 * radius)} 0Z`;
  }
  fill(): void {
    const ink = this.#ink(this.fillStyle);
    if (ink !== null) this.#out.push(`<path d="${this.#path}" fill="${ink}"${this.#opacity()}/>`);
  }
  stroke(): void {
    this.#out.push(`<path d="${this.#path}" fill="none"${this.#line()}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const ink = this.#ink(this.fillStyle);
    if (ink !== null) this.#out.push(`<rect ${this.#box(x, y, width, height)} fill="${ink}"${this.#opacity()}/>`);
  }
  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#out.push(`<rect ${this.#box(x, y, width, height)} fill="none"${this.#line()}/>`);
  }
  fillText(text: string, x: number, y: number): void {
    const ink = this.#ink(this.fillStyle) ?? "none";
    const [anchor, baseline] = [ANCHORS[this.textAlign], BASELINES[this.textBaseline]];
    const place = `${anchor ? ` text-anchor="${anchor}"` : ""}${baseline ? ` dominant-baseline="${baseline}"` : ""}`;
    this.#out.push(`<text x="${short(x)}" y="${short(y)}" fill="${ink}"${this.#opacity()}${place} style="font:${escaped(this.font)};white-space:pre">${escaped(text)}</text>`);
  }
  drawImage(image: HTMLCanvasElement, x: number, y: number, width: number = image.width, height: number = image.height): void {
    const sharp = this.imageSmoothingEnabled ? "" : ' style="image-rendering:pixelated"';
    this.#out.push(`<image ${this.#box(x, y, width, height)} preserveAspectRatio="none"${sharp} href="${image.toDataURL("image/png")}"/>`);
  }

  #box(x: number, y: number, width: number, height: number): string {
    const [left, top] = [Math.min(x, x + width), Math.min(y, y + height)];
    return `x="${short(left)}" y="${short(top)}" width="${short(Math.abs(width))}" height="${short(Math.abs(height))}"`;
  }
  /** A colour as every program writes it; null for a pattern, which is left out. */
  #ink(paint: Paint): string | null {
    if (typeof paint !== "string" || !this.#real) return null;
    this.#real.fillStyle = "#000";
    this.#real.fillStyle = paint;
    return this.#real.fillStyle;
  }
  #opacity(): string {
    return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : "";
  }
  #line(): string {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.map(short).join(" ")}"` : "";
    return ` stroke="${this.#ink(this.strokeStyle) ?? "none"}" stroke-width="${short(this.lineWidth)}"${dash}${this.#opacity()}`;
  }
}
