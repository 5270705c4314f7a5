// Pointer and keyboard on a map: read-outs, clicking to pin, dragging to zoom, a cursor moved by arrow keys.

import { heightAt, lossOf } from "../../charts/landscape/grid.js";
import { coordinatesAt, toLeft, toTop } from "../../charts/landscape/map.js";
import { shortNumber } from "../../i18n/numbers.js";
import { checkpointReadOut, coordinate, differenceText, withError } from "./captions.js";
import { levelOf, nodesOf, planeOf } from "./model/plane.js";
import { cursor, pointedMoment, pointedPlace } from "./pointer.js";
import { hideReadOut, showReadOut } from "./read_out.js";
import { pin, setPin, zoom } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./landscape_pane.js").LandscapePane} LandscapePane */

/** Distance in pixels within which a point is hit. */
const NEAR = 9;
/** A shorter drag is a click; a smaller box is ignored. */
const LEAST_DRAG = 4;
const LEAST_BOX = 8;

/** What is at a position of the map.
 * @typedef {import("./read_out.js").ReadOut & {x: number, y: number, moment: number | null}} Hit */

export class MapPointer {
  /** The first corner of the zoom box. @type {{left: number, top: number} | null} */
  #boxStart = null;
  /** The grid point of the keyboard cursor. @type {{column: number, row: number} | null} */
  #cursor = null;

  /** @param {LandscapePane} pane */
  constructor(pane) {
    this.pane = pane;
  }

  /** @param {PointerEvent} event */
  down(event) {
    const at = this.#at(event);
    if (event.button || !at || event.pointerType === "touch") return;
    this.#boxStart = at;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const at = this.#at(event);
    if (this.#boxStart && at) return this.#showBox(this.#boxStart, at);
    this.#cursor = null;
    this.#showAt(at);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const from = this.#boxStart;
    const at = this.#at(event);
    this.#boxStart = null;
    this.#part(".land-box").hidden = true;
    const frame = this.pane.frame();
    if (!from || !at || !frame) return;
    if (Math.hypot(at.left - from.left, at.top - from.top) < LEAST_DRAG) return this.#pinAt(this.#hitAt(at, frame));
    if (Math.abs(at.left - from.left) < LEAST_BOX || Math.abs(at.top - from.top) < LEAST_BOX) return;
    const [start, end] = [coordinatesAt(frame, from.left, from.top), coordinatesAt(frame, at.left, at.top)];
    zoom(this.pane.place, [
      Math.min(start[0], end[0]),
      Math.max(start[0], end[0]),
      Math.min(start[1], end[1]),
      Math.max(start[1], end[1]),
    ]);
  }

  leave() {
    this.#boxStart = null;
    this.#cursor = null;
    this.#showAt(null);
  }

  /** Pins the cursor to a position; at the pinned position, unpins it.
   * @param {{x: number, y: number}} place */
  #pinAt({ x, y }) {
    const frame = this.pane.frame();
    const pinned = pin.peek();
    if (!frame || this.pane.place) return;
    const isSame =
      pinned && Math.hypot(toLeft(frame, pinned.x) - toLeft(frame, x), toTop(frame, pinned.y) - toTop(frame, y)) < NEAR;
    setPin(isSame ? null : { x, y });
  }

  /** Arrow keys move between measured points; Enter pins the cursor.
   * @param {KeyboardEvent} event */
  pressed(event) {
    const pointed = pointedPlace.peek();
    if (event.key === "Enter" && this.#cursor && pointed) return this.#pinAt(pointed);
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [
      0, 0,
    ];
    const { model } = this.pane;
    const frame = this.pane.frame();
    if ((!right && !up) || !model || !frame) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y } = nodesOf(model.landscape);
    const [sideways, upwards] = [x[x.length - 1] < x[0] ? -right : right, y[y.length - 1] < y[0] ? -up : up];
    const now = this.#cursor ?? { column: (x.length >> 1) - sideways, row: (y.length >> 1) - upwards };
    const column = Math.max(0, Math.min(x.length - 1, now.column + sideways));
    const row = Math.max(0, Math.min(y.length - 1, now.row + upwards));
    this.#cursor = { column, row };
    this.#showAt({ left: toLeft(frame, x[column]), top: toTop(frame, y[row]) });
  }

  /** The position in the plot area; null outside. While a box is drawn, it is clamped to the area.
   * @param {PointerEvent} event */
  #at(event) {
    const frame = this.pane.frame();
    const box = this.#part(".land-map").getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    if (!frame) return null;
    const isInside =
      left >= frame.left && left <= frame.left + frame.width && top >= frame.top && top <= frame.top + frame.height;
    if (isInside) return { left, top };
    // A zoom box may end outside the area.
    return this.#boxStart
      ? {
          left: Math.max(frame.left, Math.min(frame.left + frame.width, left)),
          top: Math.max(frame.top, Math.min(frame.top + frame.height, top)),
        }
      : null;
  }

  /** @param {string} selector */
  #part(selector) {
    return /** @type {HTMLElement} */ (this.pane.querySelector(selector) ?? document.createElement("div"));
  }

  /** @param {{left: number, top: number}} from @param {{left: number, top: number}} to */
  #showBox(from, to) {
    const box = this.#part(".land-box");
    hideReadOut();
    box.hidden = false;
    Object.assign(box.style, {
      left: `${Math.min(from.left, to.left)}px`,
      top: `${Math.min(from.top, to.top)}px`,
      width: `${Math.abs(to.left - from.left)}px`,
      height: `${Math.abs(to.top - from.top)}px`,
    });
  }

  /** @param {{left: number, top: number} | null} at */
  #showAt(at) {
    const { model } = this.pane;
    const frame = this.pane.frame();
    if (!at || !model || !frame) {
      pointedPlace.value = null;
      pointedMoment.value = null;
      hideReadOut();
      return;
    }
    const hit = this.#hitAt(at, frame);
    pointedPlace.value = { plane: planeOf(model.landscape), x: hit.x, y: hit.y };
    pointedMoment.value = hit.moment;
    const box = this.#part(".land-map").getBoundingClientRect();
    showReadOut(box.left + toLeft(frame, hit.x), box.top + toTop(frame, hit.y), hit);
  }

  /** Shows the cursor of the map's plane, also if it is moved in another view. */
  showCursor() {
    const { model } = this.pane;
    const frame = this.pane.frame();
    const cross = this.#part(".land-cross");
    const place = cursor.value;
    const isHere =
      model &&
      frame &&
      place &&
      place.plane === planeOf(model.landscape) &&
      isWithin(frame.x, place.x) &&
      isWithin(frame.y, place.y);
    cross.hidden = !isHere;
    if (isHere) cross.style.transform = `translate(${toLeft(frame, place.x)}px, ${toTop(frame, place.y)}px)`;
  }

  /** @param {{left: number, top: number}} at @param {import("../../charts/landscape/map.js").Frame} frame
   * @returns {Hit} */
  #hitAt(at, frame) {
    return this.#checkpointAt(at, frame) ?? this.#nodeAt(at, frame) ?? this.#interpolatedAt(at, frame);
  }

  get #landscape() {
    return /** @type {import("./model/drawing.js").Model} */ (this.pane.model).landscape;
  }

  /** @param {{left: number, top: number}} at @param {import("../../charts/landscape/map.js").Frame} frame
   * @returns {Hit | null} */
  #checkpointAt(at, frame) {
    let least = NEAR;
    /** @type {Hit | null} */
    let hit = null;
    for (const { landscape } of this.pane.trajectories) {
      const { path } = landscape;
      path?.x.forEach((x, place) => {
        const distance = Math.hypot(toLeft(frame, x) - at.left, toTop(frame, path.y[place]) - at.top);
        if (distance >= least) return;
        least = distance;
        hit = { ...checkpointReadOut(landscape, place), x, y: path.y[place], moment: path.steps?.[place] ?? null };
      });
    }
    return hit;
  }

  /** @param {{left: number, top: number}} at @param {import("../../charts/landscape/map.js").Frame} frame
   * @returns {Hit | null} */
  #nodeAt(at, frame) {
    const nodes = nodesOf(this.#landscape);
    const [x, y] = coordinatesAt(frame, at.left, at.top);
    const [column, row] = [nearest(nodes.x, x), nearest(nodes.y, y)];
    const place = row * nodes.x.length + column;
    if (
      !nodes.isKnown(place) ||
      Math.hypot(toLeft(frame, nodes.x[column]) - at.left, toTop(frame, nodes.y[row]) - at.top) >= NEAR
    )
      return null;
    const level = this.#landscape.measured
      ? t("land.read_level", { level: levelOf(column, row, nodes.x.length, nodes.y.length) })
      : t("land.read_measured");
    const [loss, error] = [nodes.z[place], nodes.differenceErrorOf(place)];
    const origin = nodes.z[nodes.y.indexOf(0) * nodes.x.length + nodes.x.indexOf(0)];
    const readOut = positionReadOut(nodes.x[column], nodes.y[row], withError(loss, nodes.errorOf(place)), level);
    return error > 0
      ? { ...readOut, rows: [[t("land.read_difference"), differenceText(loss - origin, error)]] }
      : readOut;
  }

  /** @param {{left: number, top: number}} at @param {import("../../charts/landscape/map.js").Frame} frame
   * @returns {Hit} */
  #interpolatedAt(at, frame) {
    const { drawn, heights } = /** @type {import("./model/drawing.js").Model} */ (this.pane.model);
    const [x, y] = coordinatesAt(frame, at.left, at.top);
    const height = heightAt(drawn, x, y);
    return positionReadOut(
      x,
      y,
      Number.isNaN(height) ? "–" : shortNumber(lossOf(height, heights.scale), 3),
      t("land.read_between"),
    );
  }
}

/** @param {number} x @param {number} y @param {string} loss @param {string} note @returns {Hit} */
const positionReadOut = (x, y, loss, note) => ({
  x,
  y,
  loss,
  note,
  title: "",
  rows: [],
  where: `${coordinate(x)}, ${coordinate(y)}`,
  moment: null,
});

/** @param {readonly [number, number]} range @param {number} at */
const isWithin = ([lo, hi], at) => at >= lo && at <= hi;

/** @param {Float64Array} axis ascending or descending @param {number} coordinate */
function nearest(axis, coordinate) {
  let best = 0;
  for (let at = 1; at < axis.length; at++)
    if (Math.abs(axis[at] - coordinate) < Math.abs(axis[best] - coordinate)) best = at;
  return best;
}
