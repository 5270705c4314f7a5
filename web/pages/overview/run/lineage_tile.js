// The tile of a run's lineage: its metrics and first hyperparameters.

import { html, nothing } from "lit-html";
import { plainText } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { ListedPart } from "./listed_part.js";

/** @typedef {import("../../../data/series/difference.js").Plain} Plain */
/** @typedef {Record<string, Plain | null | object>} Section */

const METRICS = 3;
const PARAMETERS = 4;

class LineageTile extends ListedPart {
  get kind() {
    return /** @type {const} */ ("lineage");
  }

  /** @param {{runs: Array<{metrics: Section, hyper_parameters: Section, custom: Section}>}} reply */
  template({ runs: [row] }) {
    if (!row) return nothing;
    const parameters = plainOf({ ...row.hyper_parameters, ...row.custom });
    const metrics = plainOf(row.metrics);
    const more =
      metrics.length + parameters.length - Math.min(metrics.length, METRICS) - Math.min(parameters.length, PARAMETERS);
    return html`<dl class="tile-facts">
        ${metrics.slice(0, METRICS).map(([name, value]) => fact(name, value, "metric"))}
        ${parameters.slice(0, PARAMETERS).map(([name, value]) => fact(name, value, "parameter"))}</dl>
      ${more ? html`<p class="meta">${t("run.more_tags", { n: more })}</p>` : nothing}`;
  }
}

/** @param {Section} section @returns {Array<[string, Plain]>} */
const plainOf = (section) =>
  Object.entries(section).flatMap(([name, value]) =>
    value === null || typeof value === "object" || name.startsWith("environment/")
      ? []
      : [/** @type {[string, Plain]} */ ([name, value])],
  );

/** @param {string} name @param {Plain} value @param {string} kind */
const fact = (name, value, kind) =>
  html`<div data-fact=${name} data-kind=${kind}><dt title=${name}>${name}</dt><dd
    title=${String(value)}>${plainText(value)}</dd></div>`;

customElements.define("lineage-tile", LineageTile);
