// What the name of a metric tells: whether less of it is better, and which metrics people look at first.

import { naturally } from "./natural_order.js";

const LESS =
  /loss|err(or)?(?![a-z])|mse|mae|rmse|perplexity|ppl|nll|wer|cer|fid|regret|cost|(^|[/_ ])(time|latency|seconds)/i;
const QUALITY = /acc|auc|f1|score|reward|return|bleu|iou|map(?![a-z])|precision|recall/i;

/** @typedef {"min" | "max"} Best */

/** @param {string} tag @returns {Best} */
export const likelyBest = (tag) => (LESS.test(tag) ? "min" : "max");

/** A loss and a metric of quality, those that most runs have; `focus` instead of the loss when somebody chose it.
 * @param {readonly {tag: string, runs: number}[]} tags @param {string} focus @param {number} most */
export function likelyMetrics(tags, focus, most) {
  const ranked = tags
    .toSorted((a, b) => b.runs - a.runs || a.tag.length - b.tag.length || naturally(a.tag, b.tag))
    .map(({ tag }) => tag);
  const losses = ranked.filter((tag) => /loss/i.test(tag));
  const qualities = ranked.filter((tag) => QUALITY.test(tag));
  const [first, ...others] = focus ? [focus] : [...losses, ...ranked];
  return [...new Set([first, qualities[0] ?? others[0], ...qualities, ...losses])].filter(Boolean).slice(0, most);
}
