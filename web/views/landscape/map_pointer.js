// The reader's hand on a map: what the loss is where it points, a box that is zoomed to, a cursor moved by the arrow keys.

import { coordinatesAt, toLeft, toTop } from "../../charts/landscape_map.js";
import { heightAt, lossOf } from "../../lib/landscape_grid.js";
import { shortNumber } from "../../lib/numbers.js";
import { t } from "../../state/words.js";
import { coordinate } from "./map.js";
import { pointedMoment } from "./pointed.js";
import { hideReadOut, showReadOut } from "./read_out.js";
import { zoom } from "./settings.js";
import { momentText } from "./tells.js";

/** @typedef {import("./landscape_pane.js").LandscapePane} LandscapePane */

/** So near to a point it is meant. */
const NEAR = 9;
/** A shorter drag is a click. */
const LEAST_BOX = 8;

export class MapPointer {
  /** Where a box was begun. @type {{left: number, top: number} | null} */
  #from = null;
  /** The point of the grid that the keyboard stands on. @type {{column: number, row: number} | null} */
  #cursor = null;

  /** @param {LandscapePane} pane */
  constructor(pane) {
    this.pane = pane;
  }

  /** @param {PointerEvent} event */
  down(event) {
    const at = this.#at(event);
    if (event.button || !at || event.pointerType === "touch") return;
    this.#from = at;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const at = this.#at(event);
    if (this.#from && at) return this.#showBox(this.#from, at);
    this.#cursor = null;
    this.#tell(at);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const from = this.#from;
    const at = this.#at(event);
    this.#from = null;
    this.#part(".land-box").hidden = true;
    const frame = this.pane.frame();
    if (!from || !at || !frame || Math.abs(at.left - from.left) < LEAST_BOX || Math.abs(at.top - from.top) < LEAST_BOX) return;
    const [one, other] = [coordinatesAt(frame, from.left, from.top), coordinatesAt(frame, at.left, at.top)];
    zoom(this.pane.place, [Math.min(one[0], other[0]), Math.max(one[0], other[0]), Math.min(one[1], other[1]), Math.max(one[1], other[1])]);
  }

  leave() {
    this.#from = null;
    this.#cursor = null;
    this.#tell(null);
  }

  /** Arrows go from measured point to measured point.
   * @param {KeyboardEvent} event */
  pressed(event) {
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
    const { model } = this.pane;
    const frame = this.pane.frame();
    if ((!right && !up) || !model || !frame) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y } = model.landscape;
    const [sideways, upwards] = [x[x.length - 1] < x[0] ? -right : right, y[y.length - 1] < y[0] ? -up : up];
    const now = this.#cursor ?? { column: (x.length >> 1) - sideways, row: (y.length >> 1) - upwards };
    const column = Math.max(0, Math.min(x.length - 1, now.column + sideways));
    const row = Math.max(0, Math.min(y.length - 1, now.row + upwards));
    this.#cursor = { column, row };
    this.#tell({ left: toLeft(frame, x[column]), top: toTop(frame, y[row]) });
  }

  /** In the plot area, or null beside it.
   * @param {PointerEvent} event */
  #at(event) {
    const frame = this.pane.frame();
    const box = this.#part(".land-plot").getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    if (!frame) return null;
    const isInside = left >= frame.left && left <= frame.left + frame.width && top >= frame.top && top <= frame.top + frame.height;
    if (isInside) return { left, top };
    // A box may be drawn to the very edge.
    return this.#from ? { left: Math.max(frame.left, Math.min(frame.left + frame.width, left)), top: Math.max(frame.top, Math.min(frame.top + frame.height, top)) } : null;
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
    Object.assign(box.style, { left: `${Math.min(from.left, to.left)}px`, top: `${Math.min(from.top, to.top)}px`, width: `${Math.abs(to.left - from.left)}px`, height: `${Math.abs(to.top - from.top)}px` });
  }

  /** @param {{left: number, top: number} | null} at */
  #tell(at) {
    const cross = this.#part(".land-cross");
    const { model } = this.pane;
    const frame = this.pane.frame();
    if (!at || !model || !frame) {
      cross.hidden = true;
      pointedMoment.value = null;
      hideReadOut();
      return;
    }
    const found = this.#checkpointAt(at, frame) ?? this.#pointAt(at, frame);
    cross.hidden = false;
    cross.style.transform = `translate(${found.left}px, ${found.top}px)`;
    pointedMoment.value = found.moment;
    const box = this.#part(".land-plot").getBoundingClientRect();
    showReadOut(box.left + found.left, box.top + found.top, found);
  }

  /** @param {{left: number, top: number}} at @param {import("../../charts/landscape_map.js").Frame} frame */
  #checkpointAt(at, frame) {
    const landscape = /** @type {import("./model.js").Model} */ (this.pane.model).landscape;
    const { path } = landscape;
    let best = -1;
    let least = NEAR;
    path?.x.forEach((x, place) => {
      const distance = Math.hypot(toLeft(frame, x) - at.left, toTop(frame, path.y[place]) - at.top);
      if (distance < least) [best, least] = [place, distance];
    });
    if (!path || best < 0) return null;
    const [x, y, loss] = [path.x[best], path.y[best], path.z[best]];
    return { left: toLeft(frame, x), top: toTop(frame, y), title: momentText(landscape, best), loss: shortNumber(loss, 4), note: t("land.read_path"), x: coordinate(x), y: coordinate(y), moment: path.steps?.[best] ?? null };
  }

  /** @param {{left: number, top: number}} at @param {import("../../charts/landscape_map.js").Frame} frame */
  #pointAt(at, frame) {
    const { landscape, drawn, heights } = /** @type {import("./model.js").Model} */ (this.pane.model);
    const [x, y] = coordinatesAt(frame, at.left, at.top);
    const [column, row] = [nearest(landscape.x, x), nearest(landscape.y, y)];
    const [left, top] = [toLeft(frame, landscape.x[column]), toTop(frame, landscape.y[row])];
    if (Math.hypot(left - at.left, top - at.top) < NEAR) {
      const loss = landscape.z[row * landscape.x.length + column];
      return { left, top, title: "", loss: shortNumber(loss, 4), note: t("land.read_measured"), x: coordinate(landscape.x[column]), y: coordinate(landscape.y[row]), moment: null };
    }
    const height = heightAt(drawn, x, y);
    const loss = Number.isNaN(height) ? "–" : shortNumber(lossOf(height, heights.scale), 3);
    return { ...at, title: "", loss, note: t("land.read_between"), x: coordinate(x), y: coordinate(y), moment: null };
  }
}

/** @param {Float64Array} axis in either direction @param {number} coordinate */
function nearest(axis, coordinate) {
  let best = 0;
  for (let at = 1; at < axis.length; at++) if (Math.abs(axis[at] - coordinate) < Math.abs(axis[best] - coordinate)) best = at;
  return best;
}
