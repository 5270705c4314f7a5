// Can one trust this landscape? A light with its reason in words, and all that was found.

import { html, nothing } from "lit-html";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { momentText, percent } from "./captions.js";
import { findingsOf, verdictOf } from "./model/trust.js";
import { t } from "./words.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */
/** @typedef {import("./model/trust.js").Finding} Finding */
/** @typedef {import("./words.js").TextKey} TextKey */

/** Its findings are looked for once. @type {WeakMap<Landscape, Finding[]>} */
const known = new WeakMap();

/** @param {Landscape} landscape */
function findings(landscape) {
  const found = known.get(landscape) ?? findingsOf(landscape);
  known.set(landscape, found);
  return found;
}

/** @param {Landscape} landscape */
export function trust(landscape) {
  if (!landscape.diagnostics) return untold(landscape);
  const found = findings(landscape);
  const light = verdictOf(found);
  const [first] = found;
  const warned = found.filter((one) => one.light === "bad" || one.light === "fair");
  const rest = found.filter((one) => !warned.includes(one));
  return html`<div class="land-trust" data-light=${light}>
    <p class="land-verdict">${lamp(light)}<span>${t(/** @type {TextKey} */ (`land.verdict_${light}`))}${
      light === "bad" || light === "fair" ? html` <b>${reason(first)}</b>` : nothing
    }</span></p>
    <ul>${warned.map((one) => item(one, landscape))}</ul>
    <details
      class="land-more"><summary>${
        warned.length ? t("land.trust_more", { n: rest.length }) : t("land.trust_all", { n: rest.length })
      }</summary>
      <ul>${rest.map((one) => item(one, landscape))}</ul>${provenance(landscape)}</details>
  </div>`;
}

/** Nobody knows how far the plane is from the training. @param {Landscape} landscape */
const untold = ({ path }) =>
  html`<div class="land-trust" data-light="plain"><p
    class="land-verdict">${lamp("plain")}<span>${t(
      path?.x.length ? "land.verdict_untold_path" : "land.verdict_untold",
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
    data-light=${finding.light}>${lamp(finding.light)}<span>${said(finding, landscape)}</span></li>`;

/** @param {Finding} finding @param {Landscape} landscape */
function said({ key, told }, landscape) {
  const at = typeof told.at === "number" ? momentText(landscape, told.at) : "";
  const parts = key === "energy" || key === "random_walk" || key === "residual" || key === "interpolation";
  const values = Object.entries(told).map(([name, value]) => [
    name,
    typeof value !== "number" || name === "at"
      ? value
      : WHOLE.has(name)
        ? grouped(value)
        : parts
          ? percent(value)
          : name === "part"
            ? percent(value)
            : shortNumber(value),
  ]);
  return t(/** @type {TextKey} */ (`land.trust_${key}`), { ...Object.fromEntries(values), at, n: Number(told.n ?? 1) });
}

/** What is counted, and not measured. */
const WHOLE = new Set(["points", "samples", "nodes", "of"]);

/** What it was made of. @param {Landscape} landscape */
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
