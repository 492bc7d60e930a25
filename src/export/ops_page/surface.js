// What a pointer does on a drawing over time: the wheel zooms, dragging pans, zooms or selects, a click picks.
// It knows pixels and the window; what is drawn is another's matter.

import { panSpan, zoomSpan } from "./span.js";

/** @typedef {import("./span.js").Span} Span */
/** @typedef {"pan" | "zoom" | "select"} Mode */

/**
 * @typedef {object} SurfaceState
 * @property {number} left Pixels left of the plot.
 * @property {number} width Pixels of the plot.
 * @property {Span | null} shown
 * @property {Span | null} extent
 * @property {number} least The narrowest window.
 * @property {Mode} mode
 * @property {(span: Span | null) => void} onShow
 * @property {(span: Span | null) => void} onSelect
 * @property {(point: { x: number, y: number } | null) => void} onHover
 * @property {(x: number, y: number) => void} onPick
 * @property {(box: { from: number, to: number } | null) => void} onBox
 */

/**
 * Listens on a canvas; returns how to stop. `state` is asked anew at every event.
 * @param {HTMLElement} element @param {() => SurfaceState} state
 */
export function listen(element, state) {
  /** @type {{ x: number, view: Span, mode: Mode, moved: boolean } | null} */
  let held = null;
  /** @type {{ from: number, to: number } | null} */
  let box = null;

  const local = (/** @type {PointerEvent | WheelEvent | MouseEvent} */ event) => {
    const edge = element.getBoundingClientRect();
    const { left, width } = state();
    return { x: Math.min(Math.max(event.clientX - edge.left - left, 0), Math.max(0, width - 1)), y: event.clientY - edge.top, inside: event.clientX - edge.left >= left };
  };
  const at = (/** @type {number} */ x) => {
    const { shown, width } = state();
    return shown ? shown.from + (x / Math.max(1, width)) * (shown.to - shown.from) : 0;
  };
  const setBox = (/** @type {typeof box} */ next) => {
    box = next;
    state().onBox(next);
  };

  const onWheel = (/** @type {WheelEvent} */ event) => {
    const { shown, extent, least, width, onShow } = state();
    const { x, inside } = local(event);
    // Left of the plot stand names, which scroll.
    if (!shown || !extent || !inside) return;
    event.preventDefault();
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
    if (sideways !== 0) onShow(panSpan(shown, sideways / 800, extent, least));
    else onShow(zoomSpan(shown, Math.exp(event.deltaY / 400), x / Math.max(1, width), extent, least));
  };
  const onDown = (/** @type {PointerEvent} */ event) => {
    const { shown, mode } = state();
    if (!shown || event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    held = { x: local(event).x, view: shown, mode: event.shiftKey ? "zoom" : event.ctrlKey || event.metaKey ? "select" : mode, moved: false };
  };
  const onMove = (/** @type {PointerEvent} */ event) => {
    const { extent, least, width, onShow, onHover } = state();
    const { x, y } = local(event);
    if (!held) return onHover({ x, y });
    if (Math.abs(x - held.x) > 4) held.moved = true;
    if (!held.moved || !extent) return;
    if (held.mode === "pan") onShow(panSpan(held.view, (held.x - x) / Math.max(1, width), extent, least));
    else setBox({ from: Math.min(held.x, x), to: Math.max(held.x, x) });
  };
  const onUp = (/** @type {PointerEvent} */ event) => {
    const { extent, least, onShow, onSelect, onPick } = state();
    const { x, y } = local(event);
    if (held && !held.moved) onPick(x, y);
    else if (held && extent && box && box.to - box.from > 2) {
      const span = { from: at(box.from), to: at(box.to) };
      if (held.mode === "select") onSelect(span);
      else onShow(zoomSpan(span, 1, 0.5, extent, least));
    }
    held = null;
    setBox(null);
  };
  const onCancel = () => {
    held = null;
    setBox(null);
  };
  const onLeave = () => held === null && state().onHover(null);
  const onDouble = () => state().onShow(null);

  // A wheel listener must say that it may stop the page from scrolling.
  element.addEventListener("wheel", onWheel, { passive: false });
  element.addEventListener("pointerdown", onDown);
  element.addEventListener("pointermove", onMove);
  element.addEventListener("pointerup", onUp);
  element.addEventListener("pointercancel", onCancel);
  element.addEventListener("pointerleave", onLeave);
  element.addEventListener("dblclick", onDouble);
  return () => {
    element.removeEventListener("wheel", onWheel);
    element.removeEventListener("pointerdown", onDown);
    element.removeEventListener("pointermove", onMove);
    element.removeEventListener("pointerup", onUp);
    element.removeEventListener("pointercancel", onCancel);
    element.removeEventListener("pointerleave", onLeave);
    element.removeEventListener("dblclick", onDouble);
  };
}
