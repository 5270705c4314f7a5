// Gestures on an axis, by pointer and keyboard: brush a range, move or resize the brush, pick categories, move the
// axis.

import { scheduleDraw } from "../../charts/draw_queue.js";
import { placeAt } from "../../controls/run_plots/parallel_axes.js";
import { categoryPlace, placeOf, valueAt } from "../../controls/run_plots/scale.js";
import { axesFrame, axisSpacing, moveAxis, removeAxis } from "./axes.js";
import { pickOf } from "./model/brush.js";
import { brushes, setBrush } from "./settings.js";
import { axisIds } from "./state.js";

/** @typedef {import("../../controls/run_plots/scale.js").Scale} Scale */

/** A drag that starts within so many pixels of an end of the brush resizes it. */
const EDGE_DISTANCE = 6;
/** A shorter movement, in pixels, is a click. */
const CLICK_TOLERANCE = 3;
/** The share of the axis by which a key moves an end of the brush. */
const KEY_STEP = 0.01;

/**
 * The range of places that the brush covers on a numeric axis; null without a brush.
 * @param {Scale} scale @returns {[number, number] | null}
 */
export function brushedRange(scale) {
  const brush = brushes.value.get(scale.column.id);
  if (!brush || brush.picks || scale.kind === "category") return null;
  const at = (/** @type {number} */ value) =>
    Number.isFinite(value) ? Math.max(0, Math.min(1, placeOf(scale, value))) : value > 0 ? 1 : 0;
  return scale.kind === "log" && brush.lo <= 0 ? [0, brush.hi > 0 ? at(brush.hi) : 0] : [at(brush.lo), at(brush.hi)];
}

/**
 * Brushes the range between two places.
 * @param {Scale} scale @param {number} a @param {number} b @param {boolean} isMoving
 */
function brushBetween(scale, a, b, isMoving) {
  const { column } = scale;
  const [from, to] = a < b ? [a, b] : [b, a];
  if (scale.kind !== "category") {
    const [lo, hi] = [valueAt(scale, from), valueAt(scale, to)];
    return setBrush(
      column.id,
      Number.isFinite(lo) || Number.isFinite(hi)
        ? { lo: lo === Infinity ? scale.hi : lo, hi: hi === -Infinity ? scale.lo : hi }
        : null,
      isMoving,
    );
  }
  const { categories } = column;
  const picks = categories.filter(
    (_, at) => categoryPlace(at, categories.length) >= from && categoryPlace(at, categories.length) <= to,
  );
  setBrush(column.id, picks.length ? { picks: new Set(picks.map(pickOf)) } : null, isMoving);
}

/** Starts a new brush, or moves or resizes the existing one. @param {PointerEvent} event @param {Scale} scale */
export function dragBrush(event, scale) {
  if (event.button !== 0 || /** @type {Element} */ (event.target).closest("button")) return;
  const body = /** @type {HTMLElement} */ (event.currentTarget);
  const top = body.getBoundingClientRect().top;
  const place = (/** @type {PointerEvent} */ { clientY }) => placeAt(clientY - top, axesFrame.peek());
  const startPlace = place(event);
  const range = brushedRange(scale);
  const edgeShare = EDGE_DISTANCE / (axesFrame.peek().bottom - axesFrame.peek().top);
  const fixed = !range
    ? startPlace
    : Math.abs(startPlace - range[0]) < edgeShare
      ? range[1]
      : Math.abs(startPlace - range[1]) < edgeShare
        ? range[0]
        : startPlace;
  const isMove = range !== null && fixed === startPlace && startPlace > range[0] && startPlace < range[1];
  const apply = (/** @type {PointerEvent} */ moved, /** @type {boolean} */ isMoving) => {
    const now = place(moved);
    if (!isMove) return brushBetween(scale, fixed, now, isMoving);
    const [lo, hi] = /** @type {[number, number]} */ (range);
    const by = Math.max(-lo, Math.min(1 - hi, now - startPlace));
    brushBetween(scale, lo + by, hi + by, isMoving);
  };
  const clicked = () => !isMove && fixed === startPlace && setBrush(scale.column.id, null);
  trackPointer(
    event,
    body,
    (moved) => apply(moved, true),
    (moved, isClick) => (isClick ? clicked() : apply(moved, false)),
  );
}

/** Tracks a pointer until it is released, at most once per frame.
 * @param {PointerEvent} start @param {HTMLElement} element @param {(event: PointerEvent) => void} moved
 * @param {(event: PointerEvent, isClick: boolean) => void} ended */
function trackPointer(start, element, moved, ended) {
  const stop = new AbortController();
  const { signal } = stop;
  let isClick = true;
  let frame = 0;
  element.setPointerCapture(start.pointerId);
  element.addEventListener(
    "pointermove",
    (event) => {
      isClick &&= Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < CLICK_TOLERANCE;
      cancelAnimationFrame(frame);
      if (!isClick) frame = requestAnimationFrame(() => moved(event));
    },
    { signal },
  );
  for (const kind of /** @type {const} */ (["pointerup", "pointercancel"])) {
    element.addEventListener(
      kind,
      (event) => {
        stop.abort();
        cancelAnimationFrame(frame);
        ended(event, isClick);
      },
      { signal },
    );
  }
}

/** Arrow keys move an end of the brush; Escape, Backspace and Delete remove the brush.
 * @param {KeyboardEvent} event @param {Scale} scale @param {"lo" | "hi"} end */
export function onBrushEndKey(event, scale, end) {
  const [lo, hi] = brushedRange(scale) ?? [0, 1];
  const step = event.shiftKey ? 10 * KEY_STEP : KEY_STEP;
  const by = {
    ArrowUp: step,
    ArrowRight: step,
    ArrowDown: -step,
    ArrowLeft: -step,
    PageUp: 10 * step,
    PageDown: -10 * step,
    Home: -1,
    End: 1,
  }[event.key];
  if (by === undefined && !["Escape", "Backspace", "Delete"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  if (by === undefined) return setBrush(scale.column.id, null);
  if (end === "lo") brushBetween(scale, Math.max(0, Math.min(hi, lo + by)), hi, true);
  else brushBetween(scale, lo, Math.min(1, Math.max(lo, hi + by)), true);
}

/** Picks a category, or removes it from the picks. @param {string} id @param {string} pick */
export function togglePick(id, pick) {
  const picks = new Set(brushes.peek().get(id)?.picks);
  if (!picks.delete(pick)) picks.add(pick);
  setBrush(id, picks.size ? { picks } : null);
}

/** Drags an axis to another position. @param {PointerEvent} event @param {string} id */
export function dragAxis(event, id) {
  if (event.button !== 0) return;
  const axis = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.currentTarget).closest(".axis"));
  if (!axis) return;
  const from = axisIds.peek().indexOf(id);
  const moved = (/** @type {PointerEvent} */ { clientX }) => {
    axis.classList.add("carried");
    axis.style.translate = `${clientX - event.clientX}px`;
  };
  trackPointer(event, axis, moved, ({ type, clientX }, isClick) => {
    axis.classList.remove("carried");
    axis.style.translate = "";
    const to = from + Math.round((clientX - event.clientX) / axisSpacing.peek());
    if (!isClick && type === "pointerup" && to !== from) moveAxis(id, to);
  });
}

/** @param {KeyboardEvent} event @param {string} id */
export function onTitleKey(event, id) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by) moveAxis(id, axisIds.peek().indexOf(id) + by);
  else if (["Backspace", "Delete"].includes(event.key)) removeAxis(id);
  else return;
  event.preventDefault();
  event.stopPropagation();
  // Restore the focus after rendering, which moves the button.
  if (by)
    scheduleDraw(() =>
      /** @type {HTMLElement | null} */ (
        document.querySelector(`[data-axis=${JSON.stringify(id)}] .axis-name`)
      )?.focus(),
    );
}
