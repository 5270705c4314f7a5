// Scalars of the runs whose landscapes are shown: their loss curves, and what is told of a checkpoint beside its loss.

import { computed, effect } from "@preact/signals-core";
import { nearest } from "../../../charts/binary_search.js";
import { runsByName } from "../../../data/catalogue.js";
import { readScalars } from "../../../data/client.js";
import { listTags } from "../../../data/listing_client.js";
import { compareNatural } from "../../../data/natural_order.js";
import { QueryMap } from "../../../data/query_map.js";
import { seriesOf } from "../../../data/series.js";
import { stopAll } from "../../../data/stop_all.js";
import { setting } from "../../../data/view.js";
import { keyOf, ofShownRuns, shownRuns } from "./landscapes.js";

/** @typedef {import("../../../data/series.js").Series} Series */

/** @type {QueryMap<string[]>} */
const tagsByRun = new QueryMap(async (run, signal) =>
  (await listTags(["scalar"], [run], signal)).tags.map(({ tag }) => tag),
);

/** Scalars of the shown runs that are called a loss, the likeliest first. */
export const lossTags = computed(() => {
  const tags = new Set(
    shownRuns.value.flatMap((run) => tagsByRun.values.value.get(run) ?? []).filter((tag) => /loss/i.test(tag)),
  );
  return [...tags].sort((one, other) => likeliness(one) - likeliness(other) || compareNatural(one, other));
});
/** @param {string} tag */
const likeliness = (tag) =>
  /^loss(\/auto)?$/i.test(tag) ? 0 : /train/i.test(tag) ? 1 : /val|eval|test/i.test(tag) ? 3 : 2;

const lossChosen = setting("land.loss", "");
/** "" without any. */
export const lossTag = computed(() =>
  lossTags.value.includes(lossChosen.value) ? lossChosen.value : (lossTags.value[0] ?? ""),
);

/** What a checkpoint is told by beside its loss. @type {Record<"rate" | "accuracy", RegExp>} */
const KINDS = { rate: /(^|[/_.])(lr|learning_?rate)([/_.\d]|$)/i, accuracy: /acc(uracy)?([/_.\d]|$)/i };

/** The scalar of a run that is called so; "" without any. @param {string} run @param {keyof typeof KINDS} kind */
const tagOf = (run, kind) =>
  (tagsByRun.values.value.get(run) ?? []).filter((tag) => KINDS[kind].test(tag)).toSorted(compareNatural)[0] ?? "";

/** Points of a curve: more than there are pixels nobody sees. */
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

/** When a run was at a step, and the scalars nearest to it that tell of it; null what is not known.
 * @param {string} run @param {number} step
 * @returns {{wallTime: number | null, rate: number | null, accuracy: number | null}} */
export function toldAt(run, step) {
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

/** Asks for the curves of what is shown, and again when they grow, until the returned function is called. */
export function followScalars() {
  const row = (/** @type {string} */ run) => runsByName.value.get(run);
  const wanted = computed(
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
    effect(() => curves.follow(wanted.value)),
  ]);
}
