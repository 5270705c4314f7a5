// What hands do on an axis: drag a brush, move or stretch it, pick categories, carry the axis by its title; the same by keys.

import { scheduleDraw } from "../../charts/draw_queue.js";
import { frame as axisFrame, moveAxis, removeAxis, spacing } from "./axes.js";
import { placeAt } from "./draw/parallel_axes.js";
import { pickOf } from "./model/brush.js";
import { categoryPlace, placeOf, valueAt } from "./model/scale.js";
import { axisIds } from "./rows.js";
import { brush, brushes } from "./settings.js";

/** @typedef {import("./model/scale.js").Scale} Scale */

/** Pixels from the end of a brush at which it is stretched. */
const REACH = 6;
/** Movements below so many pixels are clicks. */
const STILL = 3;
/** How far a key moves the end of a brush. */
const KEY_STEP = 0.01;

/** The places that the brush of an axis of numbers covers; null without one. @param {Scale} scale @returns {[number, number] | null} */
export function coveredBy(scale) {
  const own = brushes.value.get(scale.column.id);
  if (!own || own.picks || scale.kind === "category") return null;
  const at = (/** @type {number} */ value) =>
    Number.isFinite(value) ? Math.max(0, Math.min(1, placeOf(scale, value))) : value > 0 ? 1 : 0;
  return scale.kind === "log" && own.lo <= 0 ? [0, own.hi > 0 ? at(own.hi) : 0] : [at(own.lo), at(own.hi)];
}

/** Brushes what lies between two places. @param {Scale} scale @param {number} one @param {number} other @param {boolean} isMoving */
function brushBetween(scale, one, other, isMoving) {
  const { column } = scale;
  const [from, to] = one < other ? [one, other] : [other, one];
  if (scale.kind !== "category") {
    const [lo, hi] = [valueAt(scale, from), valueAt(scale, to)];
    return brush(
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
  brush(column.id, picks.length ? { picks: new Set(picks.map(pickOf)) } : null, isMoving);
}

/** Begins a brush, or moves or stretches the one that is there. @param {PointerEvent} event @param {Scale} scale */
export function dragBrush(event, scale) {
  if (event.button !== 0 || /** @type {Element} */ (event.target).closest("button")) return;
  const body = /** @type {HTMLElement} */ (event.currentTarget);
  const top = body.getBoundingClientRect().top;
  const place = (/** @type {PointerEvent} */ { clientY }) => placeAt(clientY - top, axisFrame.peek());
  const begin = place(event);
  const covered = coveredBy(scale);
  const near = REACH / (axisFrame.peek().bottom - axisFrame.peek().top);
  const fixed = !covered
    ? begin
    : Math.abs(begin - covered[0]) < near
      ? covered[1]
      : Math.abs(begin - covered[1]) < near
        ? covered[0]
        : begin;
  const isCarried = covered !== null && fixed === begin && begin > covered[0] && begin < covered[1];
  const apply = (/** @type {PointerEvent} */ moved, /** @type {boolean} */ isMoving) => {
    const now = place(moved);
    if (!isCarried) return brushBetween(scale, fixed, now, isMoving);
    const [lo, hi] = /** @type {[number, number]} */ (covered);
    const by = Math.max(-lo, Math.min(1 - hi, now - begin));
    brushBetween(scale, lo + by, hi + by, isMoving);
  };
  const clicked = () => !isCarried && fixed === begin && brush(scale.column.id, null);
  follow(
    event,
    body,
    (moved) => apply(moved, true),
    (moved, isStill) => (isStill ? clicked() : apply(moved, false)),
  );
}

/** Follows a pointer until it is let go, once a frame.
 * @param {PointerEvent} begun @param {HTMLElement} element @param {(event: PointerEvent) => void} moved @param {(event: PointerEvent, isStill: boolean) => void} ended */
function follow(begun, element, moved, ended) {
  const stop = new AbortController();
  const { signal } = stop;
  let isStill = true;
  let frame = 0;
  element.setPointerCapture(begun.pointerId);
  element.addEventListener(
    "pointermove",
    (event) => {
      isStill &&= Math.hypot(event.clientX - begun.clientX, event.clientY - begun.clientY) < STILL;
      cancelAnimationFrame(frame);
      if (!isStill) frame = requestAnimationFrame(() => moved(event));
    },
    { signal },
  );
  for (const kind of /** @type {const} */ (["pointerup", "pointercancel"])) {
    element.addEventListener(
      kind,
      (event) => {
        stop.abort();
        cancelAnimationFrame(frame);
        ended(event, isStill);
      },
      { signal },
    );
  }
}

/** Arrow keys move an end of the brush; Escape, Backspace and Delete take the brush away.
 * @param {KeyboardEvent} event @param {Scale} scale @param {"lo" | "hi"} end */
export function pressedOnEnd(event, scale, end) {
  const [lo, hi] = coveredBy(scale) ?? [0, 1];
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
  if (by === undefined) return brush(scale.column.id, null);
  if (end === "lo") brushBetween(scale, Math.max(0, Math.min(hi, lo + by)), hi, true);
  else brushBetween(scale, lo, Math.min(1, Math.max(lo, hi + by)), true);
}

/** Picks a value, or no longer. @param {string} id @param {string} pick */
export function togglePick(id, pick) {
  const picks = new Set(brushes.peek().get(id)?.picks);
  if (!picks.delete(pick)) picks.add(pick);
  brush(id, picks.size ? { picks } : null);
}

/** Carries an axis to another place. @param {PointerEvent} event @param {string} id */
export function dragAxis(event, id) {
  if (event.button !== 0) return;
  const axis = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.currentTarget).closest(".axis"));
  if (!axis) return;
  const from = axisIds.peek().indexOf(id);
  const moved = (/** @type {PointerEvent} */ { clientX }) => {
    axis.classList.add("carried");
    axis.style.translate = `${clientX - event.clientX}px`;
  };
  follow(event, axis, moved, ({ type, clientX }, isStill) => {
    axis.classList.remove("carried");
    axis.style.translate = "";
    const to = from + Math.round((clientX - event.clientX) / spacing.peek());
    if (!isStill && type === "pointerup" && to !== from) moveAxis(id, to);
  });
}

/** @param {KeyboardEvent} event @param {string} id */
export function pressedOnTitle(event, id) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by) moveAxis(id, axisIds.peek().indexOf(id) + by);
  else if (["Backspace", "Delete"].includes(event.key)) removeAxis(id);
  else return;
  event.preventDefault();
  event.stopPropagation();
  // Behind the drawing of the axes, which moves the button.
  if (by)
    scheduleDraw(() =>
      /** @type {HTMLElement | null} */ (
        document.querySelector(`[data-axis=${JSON.stringify(id)}] .axis-name`)
      )?.focus(),
    );
}
