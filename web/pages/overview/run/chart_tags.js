// Which scalar tags of a run are drawn on its page: the most informative ones, and those of the machine.

import { isOfMachine } from "../../../data/machine_tags.js";
import { likelyMetrics } from "../../../data/metrics.js";
import { compareNatural } from "../../../data/natural_order.js";

const MOST_CHARTS = 6;
const MOST_OF_MACHINE = 8;
/** Utilization first, then memory; temperatures and power last. */
const RANKS = [/gpu.*utili|gpu.*percent/i, /cpu/i, /gpu.*mem/i, /mem|rss|ram/i, /disk|net/i];

/** @param {readonly string[]} tags */
export function chartTags(tags) {
  const own = tags.filter((tag) => !isOfMachine(tag)).map((tag) => ({ tag, runs: 1 }));
  const likely = likelyMetrics(own, "", MOST_CHARTS);
  return [...new Set([...likely, ...own.map(({ tag }) => tag)])].slice(0, MOST_CHARTS);
}

/** @param {readonly string[]} tags */
export function machineTags(tags) {
  const rankOf = (/** @type {string} */ tag) => RANKS.findIndex((pattern) => pattern.test(tag)) >>> 0;
  return tags
    .filter(isOfMachine)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || compareNatural(a, b))
    .slice(0, MOST_OF_MACHINE);
}
