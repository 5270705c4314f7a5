// Groups landscapes into panes: those of one surface share a pane, with a path for each run.

import { computed } from "@preact/signals-core";
import { tokens } from "../../charts/theme.js";
import { nameOf } from "../../controls/run_name.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { styles } from "../../data/runs/runs.js";
import { isJoint, keyOf, landscapes } from "./model/landscapes.js";
import { planeOf, surfaceOf } from "./model/plane.js";
import { t } from "./words.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */
/** @typedef {{choice: import("./model/landscapes.js").Choice, landscape: Landscape | null}} Shown */
/** The training path of a run on a surface; the landscape may have no path.
 * @typedef {{landscape: Landscape, colour: string, dash: string}} Trajectory */

/** A joint landscape that has not arrived yet will share a pane. @param {Shown} shown @param {number} at */
const hasCome = ({ choice, landscape }, at) => at === 0 || landscape !== null || !isJoint(choice.tag);

/** The landscapes of each pane; the first one's surface is drawn. */
export const panes = computed(() => [
  ...Map.groupBy(landscapes.value.filter(hasCome), ({ choice, landscape }) =>
    landscape && !landscape.error ? surfaceOf(landscape) : keyOf(choice),
  ).values(),
]);

/** The landscapes that share a pane with this one, this one first. @param {Landscape} landscape */
const landscapesOfPane = (landscape) => {
  const pane = panes.value.find((all) => all.some((shown) => shown.landscape === landscape)) ?? [];
  return [landscape, ...pane.flatMap(({ landscape: other }) => (other && other !== landscape ? [other] : []))];
};

/** @param {string} run */
export const colourOf = (run) => tokens().palette[styles.value.get(run)?.colour ?? 0];

/** If there are more runs than colours, dashes distinguish them. @param {Landscape} landscape
 * @param {string} [colour] @returns {Trajectory} */
const trajectoryOf = (landscape, colour = colourOf(landscape.run)) => ({
  landscape,
  colour,
  dash: DASHES[styles.value.get(landscape.run)?.dash ?? 0].join(" "),
});

/** The paths on a surface. @param {Landscape} landscape whose surface is drawn @param {string} colour of its own
 * path
 * @returns {Trajectory[]} */
export const trajectoriesOf = (landscape, colour) =>
  landscapesOfPane(landscape).map((member) => trajectoryOf(member, member === landscape ? colour : undefined));

/** Paths on the same plane with other surfaces: their positions are valid on this one too.
 * @param {Landscape} landscape @returns {Trajectory[]} */
export function companionsOf(landscape) {
  if (!landscape.diagnostics?.provenance.axes) return [];
  const own = landscapesOfPane(landscape);
  return landscapes.value.flatMap(({ landscape: other }) =>
    other?.path?.x.length && !own.includes(other) && planeOf(other) === planeOf(landscape) ? [trajectoryOf(other)] : [],
  );
}

/** Maximum length of a run's name at the end of its path. */
const MAX_NAME = 24;

/** The label at the end of a path: the run's name if there are several paths. @param {Trajectory} trajectory
 * @param {Trajectory[]} trajectories */
export function endName({ landscape: { run } }, trajectories) {
  const name = nameOf(run);
  if (trajectories.length < 2) return t("land.end");
  return name.length > MAX_NAME ? `…${name.slice(1 - MAX_NAME)}` : name;
}
