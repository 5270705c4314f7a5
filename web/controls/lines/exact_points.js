// The points of a chart's lines at one step, requested from the server: a chart draws only some points of long series.

import { signal } from "@preact/signals-core";
import { keyOf } from "../../charts/plot.js";
import { pointAt } from "../../charts/readings.js";
import { readScalars } from "../../data/client/client.js";
import { seriesOf } from "../../data/series/series.js";

/** @typedef {import("../../charts/plot.js").Line} Line */
/** @typedef {import("../../charts/readings.js").Point} Point */

/** What the lines of a chart were requested with.
 * @typedef {Pick<import("../../data/series/card_series.js").Query, "smooth" | "rank" | "x" | "join" | "rate">} PointQuery */

/** Milliseconds for which the cursor rests on a step before its points are requested. */
const REST = 50;
/** @type {ReadonlyMap<string, Point>} */
const NONE = new Map();

/** Points by line at the step of the crosshair, as far as they were requested and have arrived.
 * @type {import("@preact/signals-core").Signal<{step: number, points: ReadonlyMap<string, Point>}>} */
export const exactPoints = signal({ step: NaN, points: NONE });

/** The points that have arrived for a step. @param {number} step */
export const pointsAt = (step) => (exactPoints.peek().step === step ? exactPoints.peek().points : NONE);

/** The step, the lines and the settings of the last request. */
let wanted = "";
let rest = 0;
let superseded = new AbortController();

/** Requests the points of lines at a step when the cursor has rested there.
 * @param {number} step @param {Line[]} lines @param {PointQuery} query
 * @param {() => void} arrived is called once the points are known */
export function wantPoints(step, lines, query, arrived) {
  const key = JSON.stringify([step, query, lines.map((line) => [keyOf(line), line.series.total])]);
  if (key === wanted) return;
  forgetPoints();
  wanted = key;
  if (!lines.length) return;
  const { signal: aborted } = superseded;
  rest = window.setTimeout(async () => {
    const points = await readPoints(step, lines, query, aborted).catch(() => null);
    if (!points || aborted.aborted) return;
    exactPoints.value = { step, points };
    arrived();
  }, REST);
}

/** The points of the last request are no longer wanted; those that have arrived stay until others do. */
export function forgetPoints() {
  clearTimeout(rest);
  superseded.abort();
  superseded = new AbortController();
  wanted = "";
}

/** @param {number} step @param {Line[]} lines @param {PointQuery} query @param {AbortSignal} aborted
 * @returns {Promise<Map<string, Point>>} */
async function readPoints(step, lines, query, aborted) {
  const alike = Map.groupBy(lines, ({ series, isExpression, tag }) =>
    JSON.stringify([series.attempt ?? null, isExpression && tag]),
  );
  const replies = await Promise.all(
    [...alike.values()].map((group) => readScalars(requestOf(step, group, query), aborted)),
  );
  const points = new Map();
  for (const reply of replies.flatMap(({ series }) => series)) {
    const series = seriesOf(reply);
    const last = series.step.length - 1;
    if (last < 0) continue;
    const { run, rank: ownRank, attempt } = series;
    const drawn = series.smoothed.length ? series.smoothed[last] : series.value[last];
    points.set(JSON.stringify([reply.tag, run, ownRank, attempt]), pointAt(series, last, drawn));
  }
  return points;
}

/** @param {number} step @param {Line[]} lines of one attempt, and of one expression or of tags
 * @param {PointQuery} query @returns {import("../../data/client/api_types.js").ScalarsRequest} */
function requestOf(step, lines, { smooth, rank, join, rate }) {
  const names = [...new Set(lines.flatMap(({ tag = "" }) => tag || []))];
  const [{ isExpression, series }] = lines;
  return {
    tag: isExpression ? [] : names,
    ...(isExpression && { expr: names, join, rate }),
    run: [...new Set(lines.map(({ run }) => run))],
    axis: "step",
    lo: step,
    hi: step,
    points: 1000,
    ...(series.attempt != null && { attempt: series.attempt }),
    ...(smooth && { smooth }),
    ...(rank && { rank: rank === "all" ? rank : Number(rank) }),
  };
}
