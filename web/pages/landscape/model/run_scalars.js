// Scalars of the shown runs: loss curves, and learning rate and accuracy at a checkpoint.

import { computed, effect } from "@preact/signals-core";
import { nearest } from "../../../charts/binary_search.js";
import { readScalars } from "../../../data/client/client.js";
import { QueryMap } from "../../../data/client/query_map.js";
import { stopAll } from "../../../data/client/stop_all.js";
import { runsByName } from "../../../data/runs/catalogue.js";
import { seriesOf } from "../../../data/series/series.js";
import { listTags } from "../../../data/tags/listing_client.js";
import { compareNatural } from "../../../data/text/natural_order.js";
import { setting } from "../../../data/view/view.js";
import { keyOf, ofShownRuns, shownRuns } from "./landscapes.js";

/** @typedef {import("../../../data/series/series.js").Series} Series */

/** @type {QueryMap<string[]>} */
const tagsByRun = new QueryMap(async (run, signal) =>
  (await listTags(["scalar"], [run], signal)).tags.map(({ tag }) => tag),
);

/** Tags of the shown runs whose name contains "loss", the likeliest first. */
export const lossTags = computed(() => {
  const tags = new Set(
    shownRuns.value.flatMap((run) => tagsByRun.values.value.get(run) ?? []).filter((tag) => /loss/i.test(tag)),
  );
  return [...tags].sort((a, b) => likeliness(a) - likeliness(b) || compareNatural(a, b));
});
/** @param {string} tag */
const likeliness = (tag) =>
  /^loss(\/auto)?$/i.test(tag) ? 0 : /train/i.test(tag) ? 1 : /val|eval|test/i.test(tag) ? 3 : 2;

const lossChosen = setting("land.loss", "");
/** "" if there is none. */
export const lossTag = computed(() =>
  lossTags.value.includes(lossChosen.value) ? lossChosen.value : (lossTags.value[0] ?? ""),
);

/** Scalars in the read-out of a checkpoint, by name. @type {Record<"rate" | "accuracy", RegExp>} */
const PATTERNS = { rate: /(^|[/_.])(lr|learning_?rate)([/_.\d]|$)/i, accuracy: /acc(uracy)?([/_.\d]|$)/i };

/** The first tag of a run that matches; "" if there is none. @param {string} run @param {keyof typeof PATTERNS} name */
const tagOf = (run, name) =>
  (tagsByRun.values.value.get(run) ?? []).filter((tag) => PATTERNS[name].test(tag)).toSorted(compareNatural)[0] ?? "";

/** Points of a curve, about one per pixel. */
const POINTS = 1000;
/** @type {QueryMap<Series | null>} */
const curves = new QueryMap(async (key, signal) => {
  const [run, tag] = JSON.parse(key);
  const { series } = await readScalars({ tag: [tag], run: [run], points: POINTS }, signal);
  return series.length ? seriesOf(series[0]) : null;
});

/** @param {string} run @param {string} tag */
const curveOf = (run, tag) => curves.values.value.get(keyOf({ run, tag })) ?? null;

/** The loss curves of the shown runs. */
export const lossCurves = computed(() => shownRuns.value.flatMap((run) => curveOf(run, lossTag.value) ?? []));

/** The wall time and scalars of a run at the point nearest to a step; null if unknown.
 * @param {string} run @param {number} step
 * @returns {{wallTime: number | null, rate: number | null, accuracy: number | null}} */
export function scalarsAt(run, step) {
  const at = (/** @type {Series | null} */ series, /** @type {"value" | "wall_time"} */ column) => {
    const place = series ? nearest(series.step, step) : -1;
    return series && place >= 0 ? series[column][place] : null;
  };
  return {
    wallTime: at(curveOf(run, lossTag.value), "wall_time"),
    rate: at(curveOf(run, tagOf(run, "rate")), "value"),
    accuracy: at(curveOf(run, tagOf(run, "accuracy")), "value"),
  };
}

/** Loads the scalars of the shown runs, and again when they grow, until the returned function is called. */
export function followScalars() {
  const row = (/** @type {string} */ run) => runsByName.value.get(run);
  const stamps = computed(
    () =>
      new Map(
        shownRuns.value.flatMap((run) =>
          [lossTag.value, tagOf(run, "rate"), tagOf(run, "accuracy")]
            .filter(Boolean)
            .map((tag) => [keyOf({ run, tag }), JSON.stringify(row(run)?.updated)]),
        ),
      ),
  );
  return stopAll([
    effect(() => tagsByRun.follow(ofShownRuns((run) => [run, row(run)?.plugins.scalar]))),
    effect(() => curves.follow(stamps.value)),
  ]);
}
