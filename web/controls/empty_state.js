// Empty states of pages: why there is no content, and what to do.

import { html, nothing } from "lit-html";
import { excludedRuns, showHidden } from "../data/notes/notes.js";
import { listError, runsReply } from "../data/runs/catalogue.js";
import { isSearched } from "../data/runs/run_search.js";
import { drawnRuns, matchingRuns } from "../data/runs/runs.js";
import { EVERYTHING } from "../data/runs/selection.js";
import { change, runFilter } from "../data/view/view.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";
import { firstRun } from "./first_run.js";
import { GROUND } from "./icons.js";
import { formatPluginCounts } from "./plugin_counts.js";

/** @typedef {import("lit-html").TemplateResult} TemplateResult */

/** The reason why no page has content; null if there are runs. @returns {TemplateResult | null} */
export function noRuns() {
  const reply = runsReply.value;
  if (!reply) return listError.value ? failed(listError.value) : skeleton();
  if (reply.runs.length && reply.runs.every(({ run }) => excludedRuns.value.has(run)))
    return allAway(reply.runs.length);
  if (reply.runs.length) return null;
  const { logdir, logdir_exists: exists, loading: isLoading } = reply;
  if (!exists)
    return empty(
      "no_logdir",
      t("empty.no_logdir"),
      html`${t("empty.no_logdir_more")} <code>${logdir}</code>`,
      firstRun(logdir),
    );
  return isLoading
    ? loadingRuns()
    : empty("no_runs", t("empty.no_runs"), html`${t("empty.no_runs_more")} <code>${logdir}</code>`, firstRun(logdir));
}

/** @param {string} state @param {string} title @param {unknown} more @param {unknown} [action] */
export const empty = (state, title, more, action = nothing) => html`
  <section class="empty" data-state=${state} role="status">${GROUND}<h2>${title}</h2><p>${more}</p>${action}</section>`;

/** Every run is hidden or archived. @param {number} n */
const allAway = (n) =>
  empty(
    "all_away",
    t("empty.all_away", { n: grouped(n) }),
    t("empty.all_away_more"),
    html`<button class="plain" data-key="show-away" @click=${() => showHidden(true)}>${t("empty.show_away")}</button>`,
  );

export const loadingRuns = () =>
  empty("loading", t("top.loading"), html`${t("empty.loading")} <code>${runsReply.value?.logdir ?? ""}</code>`);

/** There are runs, but no data for this page: lists what they contain.
 * @param {string} title */
export function noPlugin(title) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { plugins } of runsReply.value?.runs ?? []) {
    for (const [plugin, n] of Object.entries(plugins)) counts.set(plugin, (counts.get(plugin) ?? 0) + n);
  }
  return empty("no_plugin", title, t("empty.found", { found: formatPluginCounts([...counts]) || t("empty.nothing") }));
}

export const noMatch = () =>
  empty(
    "no_match",
    t("empty.no_match"),
    nothing,
    html`<button class="plain" @click=${() => change({ tags: "" })}>${t("empty.clear")}</button>`,
  );

/** There is data for this page, but of no visible run: the search finds none, none is selected, or others have it. */
export function noneDrawn() {
  if (drawnRuns.value.length) return empty("none_drawn", t("empty.not_in_drawn"), nothing);
  if (!isSearched.value) return skeleton();
  if (runFilter.value.trim() && !matchingRuns.value.length)
    return empty(
      "no_run_found",
      t("empty.no_run_found"),
      html`<code>${runFilter.value}</code>`,
      html`<button class="plain" data-key="clear-search"
        @click=${() => change({ runs: "" })}>${t("empty.clear_search")}</button>`,
    );
  return empty(
    "none_drawn",
    t(runFilter.value.trim() ? "empty.found_unselected" : "card.none_drawn"),
    nothing,
    html`<button class="plain" data-key="show-all"
      @click=${() => change({ selection: EVERYTHING })}>${t("empty.show_all")}</button>`,
  );
}

/** @param {Error} error */
const failed = (error) => empty("failed", t("empty.failed"), html`${error.message}<br>${t("empty.failed_more")}`);

/** Shown only after 200 ms: the style sheet delays it. */
export const skeleton = () =>
  html`<div class="groups skeleton" data-state="waiting" aria-hidden="true"><div
    class="cards">${Array.from({ length: 6 }, () => html`<div class="bone"></div>`)}</div></div>`;
