// Which landscapes share a pane: those of one surface, on which the training of each walks its path.

import { computed } from "@preact/signals-core";
import { tokens } from "../../charts/theme.js";
import { nameOf } from "../../controls/run_row.js";
import { DASHES } from "../../data/run_styles.js";
import { styles } from "../../data/runs.js";
import { isJoint, keyOf, landscapes } from "./model/landscapes.js";
import { planeOf, surfaceOf } from "./model/plane.js";
import { t } from "./words.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */
/** @typedef {{choice: import("./model/landscapes.js").Choice, landscape: Landscape | null}} Shown */
/** A training on a surface, its path perhaps unknown.
 * @typedef {{landscape: Landscape, colour: string, dash: string}} Walker */

/** A partner that has not come yet will share a pane. @param {Shown} shown @param {number} at */
const hasCome = ({ choice, landscape }, at) => at === 0 || landscape !== null || !isJoint(choice.tag);

/** Of each pane what it shows; the first of them draws the surface. */
export const panes = computed(() => [
  ...Map.groupBy(landscapes.value.filter(hasCome), ({ choice, landscape }) =>
    landscape && !landscape.error ? surfaceOf(landscape) : keyOf(choice),
  ).values(),
]);

/** The landscapes of a pane, that which is asked for first. @param {Landscape} landscape */
const sharers = (landscape) => {
  const pane = panes.value.find((all) => all.some((shown) => shown.landscape === landscape)) ?? [];
  return [landscape, ...pane.flatMap(({ landscape: other }) => (other && other !== landscape ? [other] : []))];
};

/** @param {string} run */
export const colourOf = (run) => tokens().palette[styles.value.get(run)?.colour ?? 0];

/** More runs than colours are told apart by dashes, as everywhere. @param {Landscape} landscape
 * @param {string} [colour] @returns {Walker} */
const walkerOf = (landscape, colour = colourOf(landscape.run)) => ({
  landscape,
  colour,
  dash: DASHES[styles.value.get(landscape.run)?.dash ?? 0].join(" "),
});

/** Whose paths are on a surface. @param {Landscape} landscape that draws it @param {string} colour of its own path
 * @returns {Walker[]} */
export const walkersOf = (landscape, colour) =>
  sharers(landscape).map((one) => walkerOf(one, one === landscape ? colour : undefined));

/** Trainings whose surfaces are others, on the same plane: their places are places on this one.
 * @param {Landscape} landscape @returns {Walker[]} */
export function companionsOf(landscape) {
  if (!landscape.diagnostics?.provenance.axes) return [];
  const here = sharers(landscape);
  return landscapes.value.flatMap(({ landscape: other }) =>
    other?.path?.x.length && !here.includes(other) && planeOf(other) === planeOf(landscape) ? [walkerOf(other)] : [],
  );
}

/** Characters of a run's name beside its mark. */
const MOST_NAME = 24;

/** What stands where a training ended: among several whose it is. @param {Walker} walker @param {Walker[]} walkers */
export function endName({ landscape: { run } }, walkers) {
  const name = nameOf(run);
  if (walkers.length < 2) return t("land.end");
  return name.length > MOST_NAME ? `…${name.slice(1 - MOST_NAME)}` : name;
}
