// The sections of the comparison: one per kind of data, with the same tag of every run.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { comparedRuns } from "../../data/runs/runs.js";
import { change } from "../../data/view/view.js";
import { chooseTag, SECTIONS, seriesOf, tagOf } from "./compared.js";
import { graphSection } from "./graphs.js";
import { landscapeSection } from "./landscapes.js";
import { t } from "./words.js";

/** @typedef {import("./compared.js").CardSection} Section */
/** @typedef {import("./compared.js").SeriesRow} SeriesRow */

export const sections = () => [...SECTIONS.map(section), landscapeSection(), graphSection()];

/** @param {Section} name */
function section(name) {
  const series = seriesOf(name);
  if (!series.size) return nothing;
  const tag = tagOf(name, series);
  const rows = series.get(tag) ?? [];
  return html`
    <section class="compare-section groups" data-section=${name} data-section-tag=${tag} data-size="m">
      <header><h2>${t(`compare.${name}`)}</h2>
        <select data-key="tag-${name}" aria-label=${t("compare.tag_of", { kind: t(`compare.${name}`) })} @change=${(
          /** @type {Event} */ event,
        ) => chooseTag(name, /** @type {HTMLSelectElement} */ (event.target).value)}>
          ${[...series].map(
            ([name, of]) =>
              html`<option value=${name} .selected=${name === tag}>${name}${
                of.length < comparedRuns.value.length ? ` (${of.length}/${comparedRuns.value.length})` : ""
              }</option>`,
          )}
        </select>
        ${absent(rows)}
      </header>
      ${repeat(
        [tag],
        () => tag,
        () => CARDS[name](tag, rows),
      )}
    </section>`;
}

/** The number of compared runs without the tag. @param {SeriesRow[]} rows */
const absent = (rows) => {
  const n = comparedRuns.value.length - rows.length;
  return n ? html`<span class="meta">${t("compare.absent", { n })}</span>` : nothing;
};

/** The cards are custom elements, defined by other pages.
 * @type {Record<Section, (tag: string, rows: SeriesRow[]) => unknown>} */
const CARDS = {
  scalar: (tag) => html`<scalar-card .tag=${tag} data-tag=${tag}></scalar-card>`,
  histogram: (tag, rows) => html`<histogram-card .tag=${tag} .rows=${rows} data-tag=${tag}></histogram-card>`,
  image: (tag, rows) => html`<image-card class="stepped-card" .tag=${tag} .rows=${rows} data-tag=${tag}></image-card>`,
  tensor: (tag, rows) =>
    html`<tensor-card .tag=${tag} .runs=${rows.map((row) => row.run)} data-tag=${tag}
      @click=${() => change({ page: "tensors" })}></tensor-card>`,
  text: (tag, rows) => html`<text-card class="stepped-card" .tag=${tag} .rows=${rows} data-tag=${tag}></text-card>`,
};
