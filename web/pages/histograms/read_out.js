// The read-out next to a plot: the pointed bin or the percentiles, of every run of the card.

import { html, nothing, render } from "lit-html";
import { percentiles, rowAtStep, SHARES, shareBelow } from "../../charts/histogram/buckets.js";
import { binOf, binsOf, edgeOf } from "../../charts/histogram/rebin.js";
import { swatch } from "../../controls/icons.js";
import { shortNameOf } from "../../controls/run_name.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { startOf } from "../../data/runs/runs.js";
import { columnFormat, grouped, inColumn, shortNumber } from "../../i18n/numbers.js";
import { duration, wallTime } from "../../i18n/times.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/histogram/frame.js").Plan} Plan */
/** @typedef {import("../../charts/histogram/frame.js").Target} Target */
/** @typedef {import("../../charts/histogram/buckets.js").Line} Line */
/** @typedef {import("../../charts/histogram/buckets.js").Distribution} Distribution */
/** A run and its histogram at the pointed step.
 * @typedef {{line: Line, row: Distribution, isPointed: boolean}} Hit */

const AROUND = 12;
/** More columns of percentiles do not fit next to a plot. */
const MAX_COLUMNS = 4;

const root = document.createElement("div");
root.id = "hist-read-out";
root.hidden = true;
root.setAttribute("role", "status");
root.setAttribute("aria-live", "off");
document.body.append(root);

/** @param {DOMRect} place of the plot @param {Plan} plan @param {Target} target
 * @param {import("./settings.js").Mode} mode */
export function showReadOut(place, plan, target, mode) {
  const hits = plan.all.flatMap((line) => {
    const row = line.rows[rowAtStep(line.rows, target.step)];
    return row ? [{ line, row, isPointed: line.run === target.run }] : [];
  });
  const pointed = hits.find(({ isPointed }) => isPointed);
  if (!pointed) return hideReadOut();
  render(
    html`${moment(pointed)}${mode === "bands" ? percentileTable(hits, pointed) : binTable(plan, target, hits)}`,
    root,
  );
  root.hidden = false;
  const [left, top] = corner(place, root.getBoundingClientRect(), plan.lines.length < plan.all.length);
  root.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
}

/** The position of the read-out: next to the plot; below or above it if other plots are next to it or there is no
 * room.
 * @param {DOMRect} plot @param {{width: number, height: number}} size @param {boolean} hasNeighbours */
function corner(plot, { width, height }, hasNeighbours) {
  const right = plot.right + AROUND;
  const left = right + width < innerWidth ? right : plot.left - AROUND - width;
  if (!hasNeighbours && left >= 0) return [left, Math.max(8, Math.min(plot.top, innerHeight - height - 8))];
  const under = plot.bottom + 4;
  const top = under + height < innerHeight ? under : Math.max(8, plot.top - height - 4);
  return [Math.max(8, Math.min(plot.left, innerWidth - width - 8)), top];
}

export function hideReadOut() {
  root.hidden = true;
}

/** @param {Hit} hit */
const moment = ({ line, row }) => html`<p class="moment">
  <b data-read="step" data-step=${row.step}>${t("step.at", { step: grouped(row.step) })}</b>
  <span>${duration(row.wallTime - startOf(line.run))}</span><span>${wallTime(row.wallTime)}</span></p>`;

/** @param {Hit} hit @param {boolean} withStep */
const rowHead = ({ line: { run, style }, row }, withStep) => html`<th scope="row">
  ${swatch(style, DASHES[style.dash])}<span class="leaf">${shortNameOf(run)}</span>
  ${withStep ? html`<span class="meta">${t("step.at", { step: grouped(row.step) })}</span>` : nothing}</th>`;

/** @param {Plan} plan @param {Target} target @param {Hit[]} hits */
function binTable({ grid }, target, hits) {
  const bin = binOf(grid, target.value);
  const [low, high] = [edgeOf(grid, bin), edgeOf(grid, bin + 1)];
  const format = columnFormat([low, high, (grid.hi - grid.lo) / grid.bins]);
  const differ = hits.some(({ row }) => row.step !== hits[0].row.step);
  const edges = t("hist.bin", { low: inColumn(low, format), high: inColumn(high, format) });
  const head = [t("hist.count"), t("hist.share"), t("hist.below"), t("hist.total")];
  return html`<p class="bin" data-read="bin" data-low=${low} data-high=${high}>${edges}</p>
    <table><thead><tr><td></td>${head.map((text) => html`<th>${text}</th>`)}</tr></thead>
    <tbody>${hits.map((hit) => {
      const count = binsOf(hit.row, grid)[bin];
      const share = hit.row.total ? count / hit.row.total : NaN;
      const below = shareBelow(hit.row, low);
      const cells = [fraction(count), percent(share), percent(below), grouped(hit.row.total)];
      return html`<tr class=${hit.isPointed ? "best" : ""} data-run=${hit.line.run} data-count=${count}
        data-share=${share} data-below=${below}>
        ${rowHead(hit, differ)}${cells.map((text) => html`<td>${text}</td>`)}</tr>`;
    })}</tbody></table>`;
}

/** @param {Hit[]} hits @param {Hit} pointed */
function percentileTable(hits, pointed) {
  const shown = [pointed, ...hits.filter((hit) => hit !== pointed)].slice(0, MAX_COLUMNS);
  const columns = shown.map(({ row }) => percentiles(row));
  const format = columnFormat(columns.flat());
  const differ = shown.some(({ row }) => row.step !== pointed.row.step);
  const label = (/** @type {number} */ share) =>
    share === 0 ? t("hist.min") : share === 1 ? t("hist.max") : `${Math.round(share * 100)}%`;
  return html`<table><thead><tr><td></td>${shown.map((hit) => rowHead(hit, differ))}</tr></thead>
    <tbody>${SHARES.map((share, index) => ({ share, index }))
      .toReversed()
      .map(
        ({ share, index }) => html`
      <tr class=${share === 0.5 ? "best" : ""} data-percentile=${share} data-value=${columns[0][index]}>
      <th scope="row">${label(share)}</th>${columns.map(
        (values) => html`<td>${inColumn(values[index], format)}</td>`,
      )}</tr>`,
      )}</tbody></table>`;
}

/** Formats a count, which is a fraction if a bucket is split between bins.
 * @param {number} count */
const fraction = (count) =>
  Number.isInteger(count) ? grouped(count) : count < 0.01 ? shortNumber(count) : count.toFixed(2);

/** @param {number} share */
const percent = (share) =>
  Number.isFinite(share) ? `${(share * 100).toFixed(share > 0 && share < 0.001 ? 3 : 1)}%` : "–";
