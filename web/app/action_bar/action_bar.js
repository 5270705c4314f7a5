// The bar of actions on the marked runs, at the bottom of every page, and the notice about the last one.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { openAt } from "../../controls/popover.js";
import { areNotesOff, noteOf } from "../../data/notes/notes.js";
import { baseline, setBaseline } from "../../data/runs/baseline.js";
import { markedElsewhere, markedRuns, unmarkAll } from "../../data/runs/marked_runs.js";
import { baselineFromMarked, editMarked, notice, showMarked, showOnlyMarked } from "../../data/runs/run_actions.js";
import { compareRuns } from "../../data/runs/runs.js";
import { grouped } from "../../i18n/numbers.js";
import { colourMenu } from "./colour_menu.js";
import { groupMenu } from "./group_menu.js";
import { labelMenu } from "./label_menu.js";
import { t } from "./words.js";

/** @typedef {import("../../data/runs/run_actions.js").Notice} Notice */

export const actionTitle = () => t("actions.title");

export const actionBar = () => html`
  <div class="action-notes" role="status">${notice.value ? noticeLine(notice.value) : nothing}</div>
  ${markedRuns.value.length ? bar() : nothing}`;

function bar() {
  const names = markedRuns.value;
  const n = grouped(names.length);
  const areArchived = names.every((run) => noteOf(run).archived);
  return html`
    <div class="action-bar" role="toolbar" aria-label=${t("actions.title")} data-marked=${names.length}>
      <span class="marked-count"><b>${t("actions.count", { n })}</b>${
        markedElsewhere.value
          ? html`<span class="meta">${t("actions.elsewhere", { n: grouped(markedElsewhere.value) })}</span>`
          : nothing
      }</span>
      ${button("show", () => showMarked(true))}
      ${button("hide", () => showMarked(false))}
      ${button("only", showOnlyMarked)}
      ${areNotesOff.value ? nothing : noteButtons(areArchived)}
      ${names.length === 1 ? baselineButton(names[0]) : nothing}
      ${button("compare", compareMarked, "primary")}
      <button type="button" class="quiet" data-action="clear" title=${t("actions.clear")}
        aria-label=${t("actions.clear")} @click=${unmarkAll}>${ICONS.close}</button>
    </div>
    ${areNotesOff.value ? nothing : [labelMenu(names), colourMenu(names), groupMenu()]}`;
}

/** @param {boolean} areArchived */
const noteButtons = (areArchived) => html`
  ${menuButton("label", "labels")}
  ${menuButton("colour", "colours")}
  ${menuButton("group", "group")}
  ${
    areArchived
      ? button("unarchive", () => editMarked("unarchive", { archived: false }))
      : button("archive", () => editMarked("archive", { archived: true }))
  }`;

/** @param {"show" | "hide" | "only" | "archive" | "unarchive" | "compare"} name @param {() => void} act
 * @param {string} [look] */
const button = (name, act, look = "") => html`<button type="button" class="plain ${look}" data-action=${name}
  @click=${act}>${t(`actions.${name}`)}</button>`;

/** @param {"label" | "colour" | "group"} name @param {string} menu */
const menuButton = (name, menu) => html`<button type="button" class="plain" data-action=${name} aria-haspopup="dialog"
  @click=${(/** @type {MouseEvent} */ event) => openAt(`actions-${menu}`, event)}>${t(`actions.${name}`)}…</button>`;

/** @param {string} run */
const baselineButton = (run) =>
  baseline.value === run
    ? html`<button type="button" class="plain" data-action="baseline"
        @click=${() => setBaseline("")}>${t("actions.no_baseline")}</button>`
    : html`<button type="button" class="plain" data-action="baseline"
        @click=${baselineFromMarked}>${t("actions.baseline")}</button>`;

function compareMarked() {
  compareRuns(markedRuns.peek());
  unmarkAll();
}

/** @param {Notice} done */
function noticeLine({ kind, count, detail, problems, undo }) {
  const [problem] = problems;
  const reason = problem?.detail || t("actions.no_reply");
  return html`<div class="action-notice ${problems.length ? "warning" : ""}" data-notice=${kind}>
    <span>${count ? t(`actions.did_${kind}`, { n: grouped(count), detail }) : nothing}
    ${problem ? t("actions.failed", { n: grouped(problems.length), run: problem.run, reason }) : nothing}</span>
    ${undo ? html`<button type="button" class="text" data-key="undo" @click=${undo}>${t("actions.undo")}</button>` : nothing}
    <button type="button" class="quiet" title=${t("actions.dismiss")} aria-label=${t("actions.dismiss")}
      @click=${() => (notice.value = null)}>${ICONS.close}</button></div>`;
}

/** Moves the focus to the bar. */
export const focusActions = () =>
  /** @type {HTMLElement | null} */ (document.querySelector(".action-bar button"))?.focus();

/** Opens a menu of the bar. @param {"labels"} menu */
export const openActions = (menu) =>
  /** @type {HTMLElement | null} */ (
    document.querySelector(`.action-bar [data-action="${menu === "labels" ? "label" : menu}"]`)
  )?.click();
