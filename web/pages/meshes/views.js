// What the views of meshes share: the WebGL context, the frame of each mesh, and the camera while they are linked.

import { computed, signal } from "@preact/signals-core";
import { assetUrl } from "../../data/client/assets.js";
import { frameAround } from "./model/frame.js";

/** @typedef {import("./draw/mesh_view.js").MeshStage} MeshStage */
/** @typedef {import("./draw/mesh_view.js").Pose} Pose */
/** @typedef {import("./model/frame.js").Frame} Frame */
/** @typedef {{MeshView: typeof import("./draw/mesh_view.js").MeshView, stage: MeshStage}} Drawing */

/** Why nothing is drawn: "webgl", "script", or "". @type {import("@preact/signals-core").Signal<"" | "webgl" | "script">} */
export const drawingFailure = signal("");
/** The pose that a gesture gave a view last. @type {import("@preact/signals-core").Signal<Pose | null>} */
export const linkedPose = signal(null);

/** @type {Promise<Drawing | null> | null} */
let opening = null;

/** Returns what meshes are drawn with; null if there is nothing. */
export const drawing = () => (opening ??= open());

/** @returns {Promise<Drawing | null>} */
async function open() {
  /** @type {typeof import("./draw/mesh_view.js")} */
  let script;
  try {
    script = await import(assetUrl("spatial.js"));
  } catch {
    drawingFailure.value = "script";
    return null;
  }
  try {
    return { MeshView: script.MeshView, stage: new script.MeshStage() };
  } catch {
    drawingFailure.value = "webgl";
    return null;
  }
}

/** The frame of the first mesh of each run, by tag.
 * @type {Map<string, import("@preact/signals-core").Signal<ReadonlyMap<string, Frame>>>} */
const frames = new Map();

/** @param {string} tag */
function framesOf(tag) {
  const known = frames.get(tag) ?? signal(new Map());
  frames.set(tag, known);
  return known;
}

/** The frame of all views of a mesh. @param {string} tag @returns {import("@preact/signals-core").ReadonlySignal<Frame>} */
export const frameOf = (tag) => computed(() => frameAround([...framesOf(tag).value.values()]));

/** Widens the frame of a mesh by the first one of a run. @param {string} tag @param {string} run @param {Frame} own */
export function widen(tag, run, own) {
  const all = framesOf(tag);
  if (!all.peek().has(run)) all.value = new Map(all.peek()).set(run, own);
}

/** The meshes that are shown then are first ones again. */
export function forgetFrames() {
  for (const all of frames.values()) all.value = new Map();
}
