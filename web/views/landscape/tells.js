// What is said of a landscape: what it is called, its checkpoints, its lowest point, what cannot be drawn.

import { lossOf, reachOf } from "../../lib/landscape_grid.js";
import { grouped, shortNumber } from "../../lib/numbers.js";
import { t } from "../../state/words.js";
import { coordinate } from "./map.js";

/** @typedef {import("../../state/landscapes.js").Landscape} Landscape */
/** @typedef {import("./model.js").Model} Model */

/** MindSpore's tags hold the intervals: "landscape_[1, 4]", and the last one alone for the landscape around the end.
 * @param {string} tag */
export function titleOf(tag) {
  const [, from, to] = /^landscape_\[(\d+)(?:,.*?(\d+))?\]$/.exec(tag) ?? [];
  if (from === undefined) return tag;
  return to === undefined ? t("land.final", { at: grouped(Number(from)) }) : t("land.interval", { from: grouped(Number(from)), to: grouped(Number(to)) });
}

/** "epoch 2 · step 46", as much of it as is known.
 * @param {Landscape} landscape @param {number} at */
export function momentText({ path, metadata: { unit } }, at) {
  if (!path) return "";
  const interval = path.intervals[at];
  if (interval === undefined) return t("land.checkpoint", { n: at + 1 });
  const step = path.steps?.[at];
  const parts = [unit === "epoch" ? t("land.epoch", { n: grouped(interval) }) : "", step === undefined ? "" : t("step.at", { step: grouped(step) })].filter(Boolean);
  return parts.join(" · ") || t("land.checkpoint", { n: interval });
}

/** @param {Landscape} landscape @param {number} at @param {string} newLine */
export function checkpointText(landscape, at, newLine) {
  const { path } = landscape;
  if (!path) return "";
  return [momentText(landscape, at), t("land.read_loss", { loss: shortNumber(path.z[at], 4) }), `${coordinate(path.x[at])}, ${coordinate(path.y[at])}`].join(newLine);
}

/** Looked for once. @type {WeakMap<Landscape, {loss: number, x: number, y: number} | null>} */
const known = new WeakMap();

/** The lowest measured loss and where it is; null without any. @param {Landscape} landscape */
export function lowest(landscape) {
  const found = known.get(landscape);
  if (found !== undefined) return found;
  const { x, y, z } = landscape;
  let at = -1;
  for (let place = 0; place < z.length; place++) if (Number.isFinite(z[place]) && (at < 0 || z[place] < z[at])) at = place;
  const low = at < 0 ? null : { loss: z[at], x: x[at % x.length], y: y[Math.floor(at / x.length)] };
  known.set(landscape, low);
  return low;
}

/** A map in one sentence, for those who do not see it. @param {Model} model */
export function summary({ landscape, measured, heights: { reach: shared, scale } }) {
  const low = lowest(landscape);
  const reach = reachOf([measured]) ?? shared;
  const { path } = landscape;
  return [
    t("land.summary", { columns: landscape.x.length, rows: landscape.y.length, lo: shortNumber(lossOf(reach[0], scale)), hi: shortNumber(lossOf(reach[1], scale)) }),
    low ? t("land.summary_low", { loss: shortNumber(low.loss), x: coordinate(low.x), y: coordinate(low.y) }) : "",
    path?.x.length ? t("land.summary_path", { n: path.x.length, from: shortNumber(path.z[0]), to: shortNumber(path.z[path.z.length - 1]) }) : "",
  ].filter(Boolean).join(" ");
}
