// Guesses from the names of metrics: whether lower is better, and which metrics to show first.

import { compareNatural } from "./natural_order.js";

const LOWER_IS_BETTER =
  /loss|err(or)?(?![a-z])|mse|mae|rmse|perplexity|ppl|nll|wer|cer|fid|regret|cost|(^|[/_ ])(time|latency|seconds)/i;
const QUALITY = /acc|auc|f1|score|reward|return|bleu|iou|map(?![a-z])|precision|recall/i;

/** Of data that the model was not trained on. */
const HELD_OUT = /(^|[/_.])(val|valid|validation|eval|evaluation|test|dev)([/_.]|$)/i;

/** @typedef {"min" | "max"} Best */

/** @param {string} tag @returns {Best} */
export const likelyBest = (tag) => (LOWER_IS_BETTER.test(tag) ? "min" : "max");

/** Returns a loss and a quality metric that most runs have, rather of held-out than of training data; `focus`, if selected, replaces the loss.
 * @param {readonly {tag: string, runs: number}[]} tags @param {string} focus @param {number} count */
export function likelyMetrics(tags, focus, count) {
  const most = Math.max(0, ...tags.map(({ runs }) => runs));
  const isHeldOut = (/** @type {{tag: string, runs: number}} */ { tag, runs }) =>
    Number(HELD_OUT.test(tag) && 2 * runs >= most);
  const ranked = tags
    .toSorted(
      (a, b) =>
        isHeldOut(b) - isHeldOut(a) || b.runs - a.runs || a.tag.length - b.tag.length || compareNatural(a.tag, b.tag),
    )
    .map(({ tag }) => tag);
  const losses = ranked.filter((tag) => /loss/i.test(tag));
  const qualities = ranked.filter((tag) => QUALITY.test(tag));
  const [first, ...others] = focus ? [focus] : [...losses, ...ranked];
  return [...new Set([first, qualities[0] ?? others[0], ...qualities, ...losses])].filter(Boolean).slice(0, count);
}
