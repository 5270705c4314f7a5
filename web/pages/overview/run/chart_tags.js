// Which scalar tags of a run are drawn on its page: the most informative ones, and those of the machine.

import { isHeldOut, likelyMetrics } from "../../../data/series/metrics.js";
import { isOfMachine } from "../../../data/tags/machine_tags.js";
import { compareNatural } from "../../../data/text/natural_order.js";

const MAX_CHARTS = 6;
const MAX_OF_MACHINE = 8;
/** Utilization first, then memory; temperatures and power last. */
const RANKS = [/gpu.*utili|gpu.*percent/i, /cpu/i, /gpu.*mem/i, /mem|rss|ram/i, /disk|net/i];

/** The training loss first if the run failed: it shows how it went until then; else after the results.
 * @param {readonly string[]} tags @param {boolean} [hasFailed] */
export function chartTags(tags, hasFailed = false) {
  const own = tags.filter((tag) => !isOfMachine(tag)).map((tag) => ({ tag, runs: 1 }));
  const likely = likelyMetrics(own, "", own.length);
  const loss = trainingLoss(likely);
  likely.splice(hasFailed ? 0 : 2, 0, ...loss);
  return [...new Set([...likely, ...own.map(({ tag }) => tag)])].slice(0, MAX_CHARTS);
}

/** The likeliest loss on training data; none without losses. @param {string[]} ranked */
function trainingLoss(ranked) {
  const losses = ranked.filter((tag) => /loss/i.test(tag));
  const loss = losses.find((tag) => /train/i.test(tag)) ?? losses.find((tag) => !isHeldOut(tag)) ?? losses[0];
  return loss === undefined ? [] : [loss];
}

/** @param {readonly string[]} tags */
export function machineTags(tags) {
  const rankOf = (/** @type {string} */ tag) => RANKS.findIndex((pattern) => pattern.test(tag)) >>> 0;
  return tags
    .filter(isOfMachine)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || compareNatural(a, b))
    .slice(0, MAX_OF_MACHINE);
}
