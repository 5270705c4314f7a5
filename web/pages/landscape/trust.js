// The reliability panel: a verdict with its reason, and all findings.

import { html, nothing } from "lit-html";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { momentText, percent } from "./captions.js";
import { findingsOf, verdictOf } from "./model/trust.js";
import { t } from "./words.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */
/** @typedef {import("./model/trust.js").Finding} Finding */
/** @typedef {import("./words.js").TextKey} TextKey */

/** Cached findings. @type {WeakMap<Landscape, Finding[]>} */
const cache = new WeakMap();

/** @param {Landscape} landscape */
function findings(landscape) {
  const all = cache.get(landscape) ?? findingsOf(landscape);
  cache.set(landscape, all);
  return all;
}

/** @param {Landscape} landscape */
export function trust(landscape) {
  if (!landscape.diagnostics) return withoutDiagnostics(landscape);
  const all = findings(landscape);
  const light = verdictOf(all);
  const [first] = all;
  const warned = all.filter((finding) => finding.light === "bad" || finding.light === "fair");
  const rest = all.filter((finding) => !warned.includes(finding));
  return html`<div class="land-trust" data-light=${light}>
    <p class="land-verdict">${lamp(light)}<span>${t(/** @type {TextKey} */ (`land.verdict_${light}`))}${
      light === "bad" || light === "fair" ? html` <b>${reason(first)}</b>` : nothing
    }</span></p>
    <ul>${warned.map((finding) => item(finding, landscape))}</ul>
    <details
      class="land-more"><summary>${
        warned.length ? t("land.trust_more", { n: rest.length }) : t("land.trust_all", { n: rest.length })
      }</summary>
      <ul>${rest.map((finding) => item(finding, landscape))}</ul>${provenance(landscape)}</details>
  </div>`;
}

/** For files without diagnostics. @param {Landscape} landscape */
const withoutDiagnostics = ({ path }) =>
  html`<div class="land-trust" data-light="plain"><p
    class="land-verdict">${lamp("plain")}<span>${t(
      path?.x.length ? "land.verdict_no_diagnostics_path" : "land.verdict_no_diagnostics",
    )}</span></p></div>`;

/** @param {import("./model/trust.js").Light} light */
const lamp = (light) =>
  html`<i class="lamp" data-light=${light} role="img" aria-label=${t(
    /** @type {TextKey} */ (`land.light_${light}`),
  )}></i>`;

/** @param {Finding} finding */
const reason = ({ key }) => t(/** @type {TextKey} */ (`land.why_${key}`));

/** @param {Finding} finding @param {Landscape} landscape */
const item = (finding, landscape) =>
  html`<li data-finding=${finding.key}
    data-light=${finding.light}>${lamp(finding.light)}<span>${findingText(finding, landscape)}</span></li>`;

/** @param {Finding} finding @param {Landscape} landscape */
function findingText({ key, values }, landscape) {
  const at = typeof values.at === "number" ? momentText(landscape, values.at) : "";
  const areShares = key === "energy" || key === "random_walk" || key.startsWith("residual") || key === "interpolation";
  const texts = Object.entries(values).map(([name, value]) => [
    name,
    typeof value !== "number" || name === "at"
      ? value
      : COUNTS.has(name)
        ? grouped(value)
        : areShares
          ? percent(value)
          : name === "part"
            ? percent(value)
            : shortNumber(value),
  ]);
  return t(/** @type {TextKey} */ (`land.trust_${key}`), {
    ...Object.fromEntries(texts),
    at,
    n: Number(values.n ?? 1),
  });
}

/** Counts, which are printed exactly. */
const COUNTS = new Set(["points", "samples", "units", "nodes", "of"]);

/** Data and settings that the landscape was computed with. @param {Landscape} landscape */
function provenance({ diagnostics }) {
  if (!diagnostics) return nothing;
  const rows = [
    ["samples", grouped(diagnostics.samples)],
    ["seed", diagnostics.seed === null ? "–" : String(diagnostics.seed)],
    ...Object.entries(diagnostics.provenance).map(([name, value]) => [`provenance.${name}`, value]),
  ];
  return html`<dl class="land-facts">${rows.map(
    ([name, value]) => html`<dt>${nameOfFact(name)}</dt><dd data-provenance=${name}>${value}</dd>`,
  )}</dl>`;
}

/** @type {Record<string, TextKey>} */
const NAMES = {
  samples: "land.samples",
  seed: "land.seed",
  "provenance.axes": "land.hash_axes",
  "provenance.checkpoints": "land.hash_checkpoints",
  "provenance.samples": "land.hash_samples",
  "provenance.mode": "land.mode",
  "provenance.version": "land.version",
};
/** @param {string} name */
const nameOfFact = (name) => (NAMES[name] ? t(NAMES[name]) : name.replace(/^provenance\./, ""));
