// The charts of a run: of its most informative tags, and of the machine.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { t } from "../words.js";
import { chartTags, machineTags } from "./chart_tags.js";
import { linkTo } from "./link.js";
import { tagsOf } from "./newest.js";
import { runSection } from "./section.js";
import "./run_chart.js";

/** @typedef {import("../../../data/client/api_types.js").RunRow} RunRow */

/** The states of runs that did not end as they should. */
const FAILED = new Set(["failed", "interrupted", "lost", "stalled"]);

/** @param {RunRow} listed */
export function runCharts(listed) {
  const tags = tagsOf(listed, "scalar");
  const drawn = chartTags(tags, FAILED.has(listed.state));
  const all = listed.plugins.scalar ?? 0;
  if (!all) return nothing;
  const more = linkTo(listed.run, { page: "scalars", tags: "" }, t("run.all_scalars", { n: all }), "open-scalars");
  return runSection("charts", t("run.charts"), charts(listed.run, drawn), more);
}

/** @param {RunRow} listed */
export function machineCharts(listed) {
  const tags = machineTags(tagsOf(listed, "scalar"));
  return tags.length ? runSection("machine", t("run.machine"), charts(listed.run, tags)) : nothing;
}

/** @param {string} run @param {readonly string[]} tags */
const charts = (run, tags) =>
  html`<div class="run-charts">${repeat(
    tags,
    (tag) => tag,
    (tag) => html`<run-chart .of=${{ run, tag }} data-tag=${tag}></run-chart>`,
  )}</div>`;
