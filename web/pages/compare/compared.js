// The compared runs: their facts, and the series they share.

import { scalarTags } from "../../data/runs/catalogue.js";
import { overviewCache } from "../../data/runs/run_table.js";
import { comparedRuns } from "../../data/runs/runs.js";
import { likelyMetrics } from "../../data/series/metrics.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { compareNatural } from "../../data/text/natural_order.js";
import { set, setting, view } from "../../data/view/view.js";

/** @typedef {import("../../data/tags/plugin_tags.js").SeriesRow} SeriesRow */

export const compareCache = overviewCache();

/** Sections with one card for one tag. */
export const SECTIONS = /** @type {const} */ (["scalar", "histogram", "image", "tensor", "text"]);
/** @typedef {(typeof SECTIONS)[number]} CardSection */
/** @typedef {CardSection | "landscape"} Section */

/** The series of the compared runs, by kind. */
export const sectionTags = {
  scalar: new PluginTags("scalar"),
  histogram: new PluginTags("histogram"),
  image: new PluginTags("image"),
  tensor: new PluginTags("tensor"),
  text: new PluginTags("text"),
  landscape: new PluginTags("landscape"),
};

export const chosenTags = Object.fromEntries(
  [...SECTIONS, "landscape"].map((section) => [section, setting(`compare.${section}`, /** @type {string} */ (""))]),
);
/** @param {Section} section @param {string} tag */
export const chooseTag = (section, tag) => set({ [`compare.${section}`]: tag });

/** Returns the tags of a section in natural order, each with the compared runs that have it.
 * @param {Section} section */
export function seriesOf(section) {
  // A run that was just removed is still listed until the next reply.
  const compared = new Set(comparedRuns.value);
  const rows = [...sectionTags[section].runsByTag.value].map(
    ([tag, all]) => /** @type {const} */ ([tag, all.filter(({ run }) => compared.has(run))]),
  );
  return new Map(rows.filter(([, of]) => of.length).sort(([a], [b]) => compareNatural(a, b)));
}

/** Returns the selected tag of a section, by default the one that most runs share.
 * @param {Section} section @param {ReadonlyMap<string, SeriesRow[]>} series */
export function tagOf(section, series) {
  const chosen = chosenTags[section].value;
  if (series.has(chosen)) return chosen;
  const counts = [...series].map(([tag, rows]) => ({ tag, runs: rows.length }));
  if (section === "scalar")
    return (
      likelyMetrics(
        counts,
        (scalarTags.value ?? []).includes(view.value.focus) && series.has(view.value.focus) ? view.value.focus : "",
        1,
      )[0] ?? ""
    );
  return counts.reduce((best, count) => (count.runs > best.runs ? count : best), { tag: "", runs: 0 }).tag;
}
