// Guesses from the names of metrics: which of them to show first.

import { compareNatural } from "../text/natural_order.js";

const RETURN = /reward|return/i;
const QUALITY = /acc|auc|f1|score|bleu|iou|map(?![a-z])|precision|recall|mmlu|exact_match|pass@/i;
/** What is recorded of how a training goes, not of how good its result is. */
const NO_RESULT =
  /entropy|(^|[/_. -])(lr|kl|sps|fps|epochs?|steps?|iter|beta|seconds|time)(?![a-z])|learning.?rate|kl_|clip|grad|norm(?!alized)|fraction|per_second|seen|length|explained_variance|(^|[/_. -])(memory|weights?|bias)/i;

/** Of data that the model was not trained on. */
const HELD_OUT = /(^|[/_.])(val|valid|validation|eval|evaluation|test|dev)([/_.]|$)/i;

/** @param {string} tag */
export const isHeldOut = (tag) => HELD_OUT.test(tag);

/** @typedef {"return" | "loss" | "quality" | "other" | "none"} Kind */

/** @param {string} tag @returns {Kind} none = it is no result */
function kindOf(tag) {
  const leaf = tag.slice(tag.lastIndexOf("/") + 1);
  if (QUALITY.test(leaf)) return "quality";
  if (NO_RESULT.test(leaf)) return "none";
  if (RETURN.test(tag)) return "return";
  return /loss/i.test(tag) ? "loss" : QUALITY.test(tag) ? "quality" : "other";
}

/** Metrics of held-out data, rewards, losses, other qualities, others; what is no result. @param {string} tag
 * @param {boolean} isCommon do most runs have it? */
function placeOf(tag, isCommon) {
  const kind = kindOf(tag);
  if (kind === "none") return ORDER.length + 1;
  return isCommon && kind !== "other" && HELD_OUT.test(tag) ? 0 : 1 + ORDER.indexOf(kind);
}
/** @type {Kind[]} */
const ORDER = ["return", "loss", "quality", "other"];

/** Returns the metrics to show first: the likely target, one of another kind, and further ones that say how good the
 * results are. An entropy or a learning rate is a target only if there is nothing else.
 * @param {readonly {tag: string, runs: number}[]} tags @param {string} focus the target, if selected
 * @param {number} count */
export function likelyMetrics(tags, focus, count) {
  const most = Math.max(0, ...tags.map(({ runs }) => runs));
  const ranked = tags
    .map(({ tag, runs }) => ({ tag, runs, kind: kindOf(tag), isCommon: 2 * runs >= most }))
    .map((each) => ({ ...each, place: placeOf(each.tag, each.isCommon) }))
    .sort(
      (a, b) =>
        Number(a.kind === "none") - Number(b.kind === "none") ||
        Number(b.isCommon) - Number(a.isCommon) ||
        a.place - b.place ||
        Number(b.kind === "loss") - Number(a.kind === "loss") ||
        b.runs - a.runs ||
        a.tag.length - b.tag.length ||
        compareNatural(a.tag, b.tag),
    );
  const [first, ...others] = focus ? [focus, ...ranked.map(({ tag }) => tag)] : ranked.map(({ tag }) => tag);
  if (first === undefined) return [];
  const kind = kindOf(first);
  const results = ranked.filter((each) => each.kind !== "none" && each.kind !== "other");
  const second = results.find((each) => each.kind !== kind && each.tag !== first)?.tag ?? others[0];
  return [...new Set([first, second, ...results.map(({ tag }) => tag)])]
    .filter((tag) => tag !== undefined)
    .slice(0, count);
}

/** The metric whose values are shown first. @param {readonly {tag: string, runs: number}[]} tags */
export const likelyTarget = (tags) => likelyMetrics(tags, "", 1)[0] ?? "";
