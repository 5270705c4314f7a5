// Texts about a landscape: its title, its checkpoints, its lowest point, a summary for screen readers.

import { lossOf } from "../../charts/landscape/grid.js";
import { nameOf } from "../../controls/run_name.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { wallTime } from "../../i18n/times.js";
import { heightRangeOf } from "./model/drawing.js";
import { shownRuns } from "./model/landscapes.js";
import { nodesOf } from "./model/plane.js";
import { scalarsAt } from "./model/run_scalars.js";
import { t } from "./words.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */
/** @typedef {import("./model/drawing.js").Model} Model */

/** The title of a landscape by its tag. MindSpore's tags contain the interval, as "landscape_[1, 4]", or one epoch
 * for the landscape around the final model; tags of joint landscapes begin with "joint_".
 * @param {string} tag */
export function titleOf(tag) {
  const [, joint, from, to] = /^(joint_)?landscape_\[(\d+)(?:,.*?(\d+))?\]$/.exec(tag) ?? [];
  if (from === undefined) return tag;
  if (joint) return t("land.joint", { from: grouped(Number(from)), to: grouped(Number(to ?? from)) });
  return to === undefined
    ? t("land.final", { at: grouped(Number(from)) })
    : t("land.interval", { from: grouped(Number(from)), to: grouped(Number(to)) });
}

/** For example "epoch 2 · step 46", as far as known.
 * @param {Landscape} landscape @param {number} at */
export function momentText({ path, metadata: { unit } }, at) {
  if (!path) return "";
  const interval = path.intervals[at];
  if (interval === undefined) return t("land.checkpoint", { n: at + 1 });
  const step = path.steps?.[at];
  const parts = [
    unit === "epoch" ? t("land.epoch", { n: grouped(interval) }) : "",
    step === undefined ? "" : t("step.at", { step: grouped(step) }),
  ].filter(Boolean);
  return parts.join(" · ") || t("land.checkpoint", { n: interval });
}

/** A loss with its standard error. @param {number} loss @param {number} error */
export const withError = (loss, error) =>
  Number.isFinite(error) && error > 0 ? `${shortNumber(loss, 4)} ± ${shortNumber(error, 2)}` : shortNumber(loss, 4);

/** @param {number} number */
export const coordinate = (number) => shortNumber(number, 4);

/** @param {number} part @param {number} [digits] */
export const percent = (part, digits = 3) => `${shortNumber(part * 100, digits)}%`;

/** The read-out of a checkpoint. @param {Landscape} landscape @param {number} at
 * @returns {import("./read_out.js").ReadOut} */
export function checkpointReadOut(landscape, at) {
  const { run, path, truth } = landscape;
  if (!path) return { title: "", loss: "", rows: [], note: "", where: "" };
  const { real = path.z, plane = path.z, residual = null, standardError = null, gapError = null } = truth ?? {};
  const step = path.steps?.[at];
  const scalars = step === undefined ? null : scalarsAt(run, step);
  /** @type {Array<[string, string | false | undefined | null]>} */
  const rows = [
    [t("land.read_plane"), truth && shortNumber(plane[at], 4)],
    [t("land.read_gap"), truth && differenceText(real[at] - plane[at], gapError?.[at] ?? NaN)],
    [t("land.read_residual"), residual && Number.isFinite(residual[at]) && percent(residual[at])],
    [t("land.read_rate"), scalars?.rate != null && shortNumber(scalars.rate, 4)],
    [t("land.read_accuracy"), scalars?.accuracy != null && shortNumber(scalars.accuracy, 4)],
    [t("land.read_time"), scalars?.wallTime != null && wallTime(scalars.wallTime)],
  ];
  return {
    title: [shownRuns.value.length > 1 ? nameOf(run) : "", momentText(landscape, at)].filter(Boolean).join(" · "),
    loss: withError(real[at], standardError?.[at] ?? NaN),
    rows: rows.flatMap(([what, value]) => (value ? [/** @type {[string, string]} */ ([what, value])] : [])),
    note: t(truth ? "land.read_real" : "land.read_path"),
    where: `${coordinate(path.x[at])}, ${coordinate(path.y[at])}`,
  };
}

/** A difference with its standard error. @param {number} number @param {number} error */
export const differenceText = (number, error) =>
  `${number > 0 ? "+" : ""}${shortNumber(number, 3)}${error > 0 ? ` ± ${shortNumber(error, 2)}` : ""}`;

/** @param {Landscape} landscape @param {number} at */
export function checkpointText(landscape, at) {
  const { title, loss, rows, where } = checkpointReadOut(landscape, at);
  return [title, t("land.read_loss", { loss }), ...rows.map(([what, value]) => `${what} ${value}`), where].join("<br>");
}

/** The lowest measured loss and its position; null without finite losses. @param {Landscape} landscape */
export function lowest(landscape) {
  const { x, y, z, isKnown } = nodesOf(landscape);
  const at = landscape.measured
    ? z.reduce((low, loss, node) => (isKnown(node) && Number.isFinite(loss) && !(z[low] <= loss) ? node : low), -1)
    : landscape.tally.lowestAt;
  return at < 0 ? null : { loss: z[at], x: x[at % x.length], y: y[Math.floor(at / x.length)] };
}

/** A text description of a map, for screen readers. @param {Model} model
 * @param {import("./panes.js").Trajectory[]} trajectories */
export function summary(model, trajectories) {
  const {
    landscape,
    heights: { scale },
  } = model;
  const low = lowest(landscape);
  const range = heightRangeOf(model);
  const { diagnostics } = landscape;
  const ofPath = (/** @type {Landscape} */ { run, path }) => {
    if (!path?.x.length) return "";
    const text = t("land.summary_path", {
      n: path.x.length,
      from: shortNumber(path.z[0]),
      to: shortNumber(path.z[path.z.length - 1]),
    });
    return trajectories.length > 1 ? `${nameOf(run)}: ${text}` : text;
  };
  return [
    t("land.summary", {
      columns: landscape.x.length,
      rows: landscape.y.length,
      lo: shortNumber(lossOf(range[0], scale)),
      hi: shortNumber(lossOf(range[1], scale)),
    }),
    low ? t("land.summary_low", { loss: shortNumber(low.loss), x: coordinate(low.x), y: coordinate(low.y) }) : "",
    ...trajectories.map((trajectory) => ofPath(trajectory.landscape)),
    diagnostics?.energy.length
      ? t("land.summary_energy", { part: percent(diagnostics.energy.reduce((sum, part) => sum + part, 0)) })
      : "",
  ]
    .filter(Boolean)
    .join(" ");
}
