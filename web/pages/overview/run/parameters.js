// The hyperparameters of a run, and what differs from the baseline.

import { html, nothing } from "lit-html";
import { nameOf } from "../../../controls/run_name.js";
import { baseline } from "../../../data/runs/baseline.js";
import { detailCache } from "../../../data/runs/run_table.js";
import { differenceOf, splitIdentity } from "../../../data/series/difference.js";
import { plainText } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { runSection } from "./section.js";

/** @typedef {Readonly<Record<string, import("../../../data/series/difference.js").Plain>>} Parameters */
/** @typedef {import("../../../data/series/difference.js").Plain | undefined} Value */

/** @param {string} run @param {Parameters | undefined} own undefined until they are fetched */
export function parameterSection(run, own) {
  const base = baseline.value === run ? undefined : detailCache.rows.value.get(baseline.value)?.hyper_parameters;
  return runSection("parameters", t("run.parameters"), own && (base ? compared(own, base) : table(own)));
}

/** @param {Parameters} own */
const table = (own) =>
  Object.keys(own).length
    ? html`<table class="facts"><tbody>${rows(own)}</tbody></table>`
    : html`<p class="hint">${t("run.no_parameters")}</p>`;

/** What differs comes first. @param {Parameters} own @param {Parameters} base */
function compared(own, base) {
  const { identity, others } = splitIdentity(own);
  const { different, equal } = differenceOf([others, splitIdentity(base).others]);
  return html`
    <p class="meta" data-note="baseline">${t("run.against", { n: different.length, run: nameOf(baseline.value) })}</p>
    <table class="facts"><tbody>${different.map(({ name, values: [value, before] }) => row(name, value, { before }))}${equal.map(
      ({ name, values: [value] }) => row(name, value),
    )}${rows(identity)}</tbody></table>`;
}

/** @param {Parameters} parameters */
const rows = (parameters) => Object.entries(parameters).map(([name, value]) => row(name, value));

/** @param {string} name @param {Value} value @param {{before: Value}} [other] the value of the baseline, if it differs */
const row = (name, value, other) => html`<tr data-fact=${name} data-differs=${other ? "true" : nothing}>
  <th scope="row">${name}</th><td title=${textOf(value)}>${textOf(value)}${
    other ? html` <span class="dim">${t("run.baseline_has", { value: textOf(other.before) })}</span>` : nothing
  }</td></tr>`;

/** @param {Value} value */
const textOf = (value) => (value === undefined ? "–" : plainText(value));
