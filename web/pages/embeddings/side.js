// Beside the points: what the embedding is, its colours, the selection, and the chosen point with its neighbours.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { cssOf, viridis } from "../../charts/rgb.js";
import { choice } from "../../controls/choice.js";
import { fileName, save } from "../../controls/download.js";
import { ICONS } from "../../controls/icons.js";
import { theme } from "../../data/view/view.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { readCsv } from "./client.js";
import { finiteRange } from "./model/colouring.js";
import { choose, chooseRow, chosenRow, metric } from "./settings.js";
import { shadesOfTheme } from "./shades.js";
import {
  colouring,
  colourNumber,
  found,
  labelNumber,
  neighbourFailure,
  neighbours,
  pointed,
  rowsToSave,
  searched,
  selected,
  shown,
} from "./state.js";
import { thumbnail } from "./thumbnail.js";
import { t } from "./words.js";

/** Categories in the legend. */
const MAX_LISTED = 24;
const [LARGE, SMALL] = [72, 24];

export const side = () => html`<aside class="emb-side" aria-label=${t("emb.which")}>
  ${facts()}${selection()}${point()}${legend()}</aside>`;

function facts() {
  const reply = shown.value;
  if (!reply) return nothing;
  const { axes, total, dimensions, explained, left_out: left, placed, problems } = reply;
  return html`<section class="emb-card" data-part="facts">
    <p>${t("emb.facts", { n: grouped(total), d: grouped(dimensions) })}</p>
    ${explained.length ? components(explained) : nothing}
    ${
      axes[0].length < total
        ? html`<p class="meta">${t("emb.drawn", { shown: grouped(axes[0].length), n: grouped(total) })}</p>`
        : nothing
    }
    ${
      placed < total - left
        ? html`<p class="meta" data-note="placed">${t("emb.placed", { n: grouped(placed) })}</p>`
        : nothing
    }
    ${left ? html`<p class="meta" data-note="left_out">${t("emb.left_out", { n: grouped(left) })}</p>` : nothing}
    ${problems.map((problem) => html`<p class="warning" role="alert">${ICONS.warning}<span>${problem}</span></p>`)}
  </section>`;
}

/** @param {readonly number[]} explained */
const components = (explained) => html`
    <h2>${t("emb.explained")}</h2>
    <dl class="emb-explained">${explained.map(
      (share, number) => html`<dt>${number + 1}</dt>
        <dd><span class="emb-bar" style="width:${Math.round(100 * share)}%"></span><span>${t("emb.explain", {
          share: (100 * share).toFixed(1),
        })}</span></dd>`,
    )}</dl>`;

function selection() {
  const [rows, hits] = [selected.value, found.value];
  if (!rows && !hits) return nothing;
  const text = rows ? t("emb.selected", { n: grouped(rows.length) }) : t("emb.found", { n: grouped(hits?.total ?? 0) });
  return html`<section class="emb-card emb-selection" data-part="selection">
    <p role="status">${text}</p>
    <button class="quiet" data-key="emb-csv" title=${t("emb.csv")} aria-label=${t("emb.csv")}
      @click=${() => void saveCsv()}>${ICONS.csv}</button>
    <button class="quiet" data-key="emb-clear" title=${t("emb.clear")} aria-label=${t("emb.clear")}
      @click=${clear}>${ICONS.close}</button>
  </section>`;
}

function clear() {
  selected.value = null;
  searched.value = "";
}

async function saveCsv() {
  const place = shown.peek()?.place;
  if (!place) return;
  const content = await readCsv(place, [...rowsToSave()]);
  save(new Blob([content], { type: "text/csv" }), fileName(place.name, "csv"));
}

function point() {
  const [row, near, reply] = [chosenRow.value, neighbours.value, shown.value];
  if (!reply) return nothing;
  if (row === null) return html`<p class="meta emb-hint">${t("emb.hint")}</p>`;
  return html`<section class="emb-card" data-part="point" data-row=${row}>
    <h2>${t("emb.point", { row: grouped(row) })}<span class="space"></span>
      <button class="quiet" data-key="emb-forget" title=${t("emb.forget")} aria-label=${t("emb.forget")}
        @click=${() => chooseRow(null)}>${ICONS.close}</button></h2>
    <div class="emb-point">${thumbnail(reply.sprite, row, LARGE)}
      <dl>${reply.columns.map((name, at) => html`<dt>${name}</dt><dd>${near?.values[at] ?? ""}</dd>`)}</dl></div>
    <h2>${t("emb.neighbours")}<span class="space"></span>${choice(
      "emb-metric",
      t("emb.metric"),
      [
        ["cosine", t("emb.cosine")],
        ["euclidean", t("emb.euclidean")],
      ],
      metric.value,
      choose("emb.metric", "cosine"),
    )}</h2>
    ${
      neighbourFailure.value
        ? html`<p class="warning" role="alert">${ICONS.warning}<span>${neighbourFailure.value.message}</span></p>`
        : near
          ? neighbourList(near)
          : html`<div class="bone" data-state="waiting"></div>`
    }
  </section>`;
}

/** @param {import("./client.js").Neighbours} near */
function neighbourList(near) {
  if (!near.neighbours.length) return html`<p class="meta">${t("emb.no_neighbours")}</p>`;
  const number = Math.max(0, labelNumber.value);
  return html`<ol class="emb-neighbours">${repeat(
    near.neighbours,
    ({ row }) => row,
    ({ row, distance, values }) => html`<li><button data-row=${row} @click=${() => chooseRow(row)}
      @pointerenter=${() => (pointed.value = row)} @pointerleave=${() => (pointed.value = null)}>
      ${thumbnail(shown.value?.sprite, row, SMALL)}
      <span class="emb-name">${values[number] || t("emb.point", { row: grouped(row) })}</span>
      <span class="meta">${shortNumber(distance)}</span></button></li>`,
  )}</ol>`;
}

function legend() {
  theme.value;
  const [column, reply] = [colouring.value, shown.value];
  if (!column || !reply) return nothing;
  return html`<section class="emb-card" data-part="legend">
    <h2>${t("emb.legend")}: ${reply.columns[colourNumber.value]}</h2>
    ${column.numbers ? scale(column.numbers) : categories(column)}</section>`;
}

const GRADIENT = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map((at) => cssOf(viridis(at))).join(", ")})`;

/** @param {Float32Array} numbers */
function scale(numbers) {
  const range = finiteRange(numbers);
  if (!range) return nothing;
  return html`<div class="emb-scale" style="background:${GRADIENT}"></div>
    <p class="emb-range"><span>${shortNumber(range[0])}</span><span>${shortNumber(range[1])}</span></p>`;
}

/** @param {import("./client.js").Column} column */
function categories({ names, counts, codes, distinct }) {
  const shades = shadesOfTheme();
  const more = distinct - Math.min(names.length, MAX_LISTED);
  return html`<ul class="emb-categories">${names.slice(0, MAX_LISTED).map(
    (name, code) => html`<li><button title=${t("emb.category")} @click=${() => select(codes, code)}>
      <span class="emb-dot" style="background:${cssOf(shades.categories[code] ?? shades.none)}"></span>
      <span class="emb-name">${name}</span><span class="meta">${grouped(counts[code])}</span></button></li>`,
  )}</ul>
  ${more > 0 ? html`<p class="meta">${t("emb.more", { n: grouped(more) })}</p>` : nothing}`;
}

/** Selects the points of a category. @param {Int32Array | null} codes @param {number} code */
function select(codes, code) {
  const stride = shown.peek()?.stride ?? 1;
  /** @type {number[]} */
  const rows = [];
  codes?.forEach((each, at) => {
    if (each === code) rows.push(at * stride);
  });
  selected.value = rows;
}
