// The difference tables: hyperparameters, metrics and environment of the compared runs, different rows first.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { runsByName } from "../../data/runs/catalogue.js";
import { comparedRuns } from "../../data/runs/runs.js";
import { differenceOf, splitIdentity } from "../../data/series/difference.js";
import { parseList, printList } from "../../data/view/address_lists.js";
import { set, setting } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { compareCache } from "./compared.js";
import { cells, isLong, numberTexts } from "./difference_cells.js";
import { grid, wholeRooms } from "./grid.js";
import { metricTable } from "./metric_table.js";
import { PerRun } from "./per_run.js";
import { t } from "./words.js";

/** @typedef {import("../../data/series/difference.js").Plain} Plain */
/** @typedef {import("../../data/series/difference.js").DifferenceRow} DifferenceRow */

export function differences() {
  const runs = comparedRuns.value;
  const facts = runs.map((run) => compareCache.rows.value.get(run));
  if (compareCache.error.value)
    return html`<p class="page-note"
      role="alert">${t("overview.failed", { reason: compareCache.error.value.message })}</p>`;
  if (facts.includes(undefined)) return nothing;
  return html`
    <section class="compare-section" data-section="differences">
      ${metricTable()}
      ${differenceTable(
        t("overview.parameters"),
        runs,
        facts.map((run) => splitIdentity(run?.hyper_parameters ?? {}).others),
        true,
      )}
      ${differenceTable(t("compare.metrics"), runs, runs.map(metricsOf))}
      ${differenceTable(
        t("run.environment"),
        runs,
        facts.map((run) => run?.environment ?? {}),
        true,
      )}
    </section>`;
}

export const compareLineage = new PerRun("lineage", (run) =>
  LINEAGE.some((plugin) => runsByName.value.get(run)?.plugins[plugin]) ? {} : null,
);
const LINEAGE = ["lineage", "hparams"];

/** Metrics of evaluations and sessions, and the size of model and data.
 * @param {string} run @returns {Record<string, Plain>} */
function metricsOf(run) {
  const row = compareLineage.replies.value.get(run)?.runs[0];
  if (!row) return {};
  const { network, loss, size } = row.model;
  const values = {
    ...row.metrics,
    ...(row.metrics.loss === undefined && { loss }),
    network,
    "model size": size || undefined,
    ...row.train_dataset,
    ...row.valid_dataset,
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value && typeof value === "object" ? JSON.stringify(value) : value]],
    ),
  );
}

/** The values of several runs by name, different ones first. Without values: empty, or a note if `always`.
 * @param {string} title @param {readonly string[]} runs @param {Record<string, Plain>[]} tables one per run
 * @param {boolean} [always] */
export function differenceTable(title, runs, tables, always = false) {
  const { different, equal } = differenceOf(tables);
  if (!different.length && !equal.length)
    return always
      ? html`<header><h2>${title}</h2><span class="meta">${t("run.no_parameters")}</span></header>`
      : nothing;
  const counts =
    runs.length > 1
      ? html`<span class="meta">${t("compare.counts", { different: different.length, equal: equal.length })}</span>`
      : nothing;
  return html`
    <header><h2>${title}</h2>${counts}</header>
    ${different.length ? grid(runs, linesOf(different), title, "different") : nothing}
    ${
      equal.length
        ? html`<details ?open=${!different.length} data-equal=${equal.length}>
      <summary>${t("compare.equal", { n: grouped(equal.length) })}</summary>${grid(
        runs,
        linesOf(equal),
        t("compare.equal", { n: grouped(equal.length) }),
        "equal",
      )}</details>`
        : nothing
    }`;
}

const wholeText = setting("compare.whole", /** @type {string} */ (""));
/** Rows whose values are shown in full. */
const whole = computed(() => parseList(wholeText.value));

/** @param {string} name */
function toggleWhole(name) {
  const others = whole.peek().filter((other) => other !== name);
  set({ "compare.whole": printList(others.length < whole.peek().length ? others : [...others, name]) });
}

/** @param {DifferenceRow[]} rows */
function linesOf(rows) {
  const rooms = wholeRooms(rows.map(numberTexts));
  return rows.map((row, at) => lineOf(row, rooms[at]));
}

/** @param {DifferenceRow} row @param {number} room @returns {import("./grid.js").GridLine} */
function lineOf(row, room) {
  const isWhole = whole.value.includes(row.name);
  const head = isLong(row)
    ? html`<button class="whole-switch" aria-expanded=${isWhole} title=${t("compare.whole")}
      @click=${() => toggleWhole(row.name)}>${ICONS.chevron}<span>${row.name}</span></button>`
    : row.name;
  return { name: row.name, head, cells: cells(row, isWhole, room), isWhole };
}
