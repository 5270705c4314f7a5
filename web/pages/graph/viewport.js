// What is in sight of the graph, and what stands out in it.

import { computed, signal } from "@preact/signals-core";
import { fitting, held, zoomed } from "./model/camera.js";
import { traced } from "./model/scene.js";
import { scopeOf } from "./scopes.js";
import { scene } from "./selection_state.js";
import { selected, trace } from "./settings.js";

/** @typedef {import("./model/camera.js").Camera} Camera */
/** @typedef {import("./model/scene.js").PlacedBox} PlacedBox */
/** @typedef {import("./model/scene.js").PlacedLine} PlacedLine */

/** null until the graph is drawn for the first time: then all of it. @type {import("@preact/signals-core").Signal<Camera | null>} */
export const camera = signal(null);
/** Pixels there are. */
export const frame = signal({ width: 0, height: 0 });
/** The box under the cursor; "" none. */
export const hovered = signal("");

const NONE = { boxes: null, lines: new Set() };

/** The box that is selected, or what it is hidden in; "" none. */
const standIn = computed(() => {
  const drawn = scene.value;
  /** @type {string} */
  let name = selected.value;
  while (name && drawn && !drawn.byId.has(name)) name = scopeOf(name);
  return name;
});

/** The edges of what is selected; or all that it comes from or goes to, and then everything else fades. */
const marked = computed(() => {
  const drawn = scene.value;
  const id = standIn.value;
  if (!drawn?.byId.has(id)) return NONE;
  const ways = /** @type {Array<"in" | "out">} */ (
    trace.value === "in" || trace.value === "out" ? [trace.value] : ["in", "out"]
  );
  const found = ways.map((way) => traced(drawn, id, way, trace.value === ""));
  const boxes = new Set(found.flatMap((one) => [...one.boxes]));
  return { boxes: trace.value ? boxes : null, lines: new Set(found.flatMap((one) => [...one.lines])) };
});

/** @type {import("@preact/signals-core").ReadonlySignal<import("./draw/picture.js").Emphasis>} */
export const emphasis = computed(() => ({ selected: standIn.value, hovered: hovered.value, ...marked.value }));

/** The boxes that the trace leads to; null while nothing is traced. */
export const tracedBoxes = computed(() => marked.value.boxes);

/** @param {Camera} wanted */
export function look(wanted) {
  const drawn = scene.peek();
  camera.value = drawn ? held(wanted, drawn) : wanted;
}

export function fit() {
  const drawn = scene.peek();
  if (drawn && frame.peek().width)
    look(fitting({ x: 0, y: 0, width: drawn.width, height: drawn.height }, frame.peek()));
}

/** @param {number} factor @param {{left: number, top: number}} [at] */
export function zoom(factor, at) {
  const now = camera.peek();
  if (now) look(zoomed(now, factor, frame.peek(), at));
}

/** @param {number} right @param {number} down pixels by which the graph moves */
export function pan(right, down) {
  const now = camera.peek();
  if (now) look({ ...now, x: now.x - right / now.scale, y: now.y - down / now.scale });
}

/** From this scale on names can be read; what is shown is drawn a little larger. */
const LEGIBLE = 0.45;
const READABLE = 0.8;

/** Brings a box into the middle, large enough to be read, unless it is well in sight.
 * @param {PlacedBox} box */
export function show({ x, y, width, height }) {
  const now = camera.peek();
  const size = frame.peek();
  if (!now || !size.width) return;
  const [left, top] = [(x - now.x) * now.scale + size.width / 2, (y - now.y) * now.scale + size.height / 2];
  const isInside =
    left >= 8 && top >= 8 && left + width * now.scale <= size.width - 8 && top + height * now.scale <= size.height - 8;
  if (isInside && now.scale >= LEGIBLE) return;
  const fits = fitting({ x, y, width, height }, size).scale;
  look({ x: x + width / 2, y: y + height / 2, scale: Math.min(fits, now.scale >= LEGIBLE ? now.scale : READABLE) });
}
