// How a position on an x axis is written.

import { grouped, shortNumber } from "../../i18n/numbers.js";
import { duration, wallTime } from "../../i18n/times.js";

/** @param {number} x @param {import("../../charts/ticks.js").Axis} axis */
export function positionName(x, axis) {
  if (axis === "value") return shortNumber(x);
  if (axis === "step" || axis === "relative_step") return grouped(Math.round(x));
  return axis === "wall_time" ? wallTime(x) : duration(x);
}
