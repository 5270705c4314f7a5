// The visible part of the graph, and what is highlighted in it.

import { computed, signal } from "@preact/signals-core";
import { clampCamera, fitGraph, fitRectangle, zoomAt } from "./model/camera.js";
import { traceFrom } from "./model/scene.js";
import { scopeOf } from "./scope_cache.js";
import { selected, trace } from "./settings.js";
import { scene } from "./state.js";

/** @typedef {import("./model/camera.js").Camera} Camera */
/** @typedef {import("./model/scene.js").PlacedBox} PlacedBox */
/** @typedef {import("./model/scene.js").PlacedLine} PlacedLine */

/**
 * Null until the graph is first drawn, which fits all of it.
 * @type {import("@preact/signals-core").Signal<Camera | null>}
 */
export const camera = signal(null);
/** The size of the canvas in CSS pixels. */
export const viewSize = signal({ width: 0, height: 0 });
/** The id of the box under the cursor; "" for none. */
export const hovered = signal("");

const NONE = { boxes: null, lines: new Set() };

/** The id of the selected box, or of the innermost drawn scope around it; "" for none. */
const visibleSelection = computed(() => {
  const drawn = scene.value;
  /** @type {string} */
  let name = selected.value;
  while (name && drawn && !drawn.byId.has(name)) name = scopeOf(name);
  return name;
});

/** The lines of the selected box; while tracing, all of its ancestors or descendants, and everything else fades. */
const highlight = computed(() => {
  const drawn = scene.value;
  const id = visibleSelection.value;
  if (!drawn?.byId.has(id)) return NONE;
  const sides = /** @type {Array<"in" | "out">} */ (
    trace.value === "in" || trace.value === "out" ? [trace.value] : ["in", "out"]
  );
  const traces = sides.map((side) => traceFrom(drawn, id, side, trace.value === ""));
  const boxes = new Set(traces.flatMap((traced) => [...traced.boxes]));
  return { boxes: trace.value ? boxes : null, lines: new Set(traces.flatMap((traced) => [...traced.lines])) };
});

/** @type {import("@preact/signals-core").ReadonlySignal<import("./draw/canvas.js").Emphasis>} */
export const emphasis = computed(() => ({
  selected: visibleSelection.value,
  hovered: hovered.value,
  ...highlight.value,
}));

/** The ids of the traced boxes; null while nothing is traced. */
export const tracedBoxes = computed(() => highlight.value.boxes);

/** @param {Camera} requested */
export function moveCamera(requested) {
  const drawn = scene.peek();
  camera.value = drawn ? clampCamera(requested, drawn) : requested;
}

export function fit() {
  const drawn = scene.peek();
  if (drawn && viewSize.peek().width) moveCamera(fitGraph(drawn, viewSize.peek()));
}

/** @param {number} factor @param {{left: number, top: number}} [at] */
export function zoom(factor, at) {
  const now = camera.peek();
  if (now) moveCamera(zoomAt(now, factor, viewSize.peek(), at));
}

/** @param {number} right @param {number} down pixels that the graph moves by */
export function pan(right, down) {
  const now = camera.peek();
  if (now) moveCamera({ ...now, x: now.x - right / now.scale, y: now.y - down / now.scale });
}

/** The smallest scale at which names are legible, and the one at which a box is revealed. */
const MIN_LEGIBLE_SCALE = 0.45;
const REVEAL_SCALE = 0.8;

/** Centres a box at a legible scale unless it is already visible and legible.
 * @param {PlacedBox} box */
export function reveal({ x, y, width, height }) {
  const now = camera.peek();
  const size = viewSize.peek();
  if (!now || !size.width) return;
  const [left, top] = [(x - now.x) * now.scale + size.width / 2, (y - now.y) * now.scale + size.height / 2];
  const isInside =
    left >= 8 && top >= 8 && left + width * now.scale <= size.width - 8 && top + height * now.scale <= size.height - 8;
  if (isInside && now.scale >= MIN_LEGIBLE_SCALE) return;
  const fits = fitRectangle({ x, y, width, height }, size).scale;
  moveCamera({
    x: x + width / 2,
    y: y + height / 2,
    scale: Math.min(fits, now.scale >= MIN_LEGIBLE_SCALE ? now.scale : REVEAL_SCALE),
  });
}
