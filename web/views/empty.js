// The page without charts: what is missing, and what will happen next.

import { html, nothing } from "lit-html";
import { listError, listed, scalarTags } from "../state/catalogue.js";
import { groups } from "../state/runs.js";
import { change } from "../state/view.js";
import { t } from "../state/words.js";
import { GROUND } from "./icons.js";
import { listFound } from "./plugins.js";

/** @typedef {import("lit-html").TemplateResult} TemplateResult */

/** @returns {TemplateResult | null} null when there are cards to show */
export function emptyPage() {
  const reply = listed.value;
  if (!reply) return listError.value ? failed(listError.value) : skeleton();
  if (!reply.runs.length) return withoutRuns(reply);
  if (!scalarTags.value?.length) return reply.loading ? loading(reply.logdir) : withoutScalars(reply);
  if (!groups.value.length) return withoutMatch();
  return null;
}

/** @param {string} state @param {string} title @param {unknown} more @param {unknown} [action] */
const page = (state, title, more, action = nothing) => html`
  <section class="empty" data-state=${state} role="status">${GROUND}<h2>${title}</h2><p>${more}</p>${action}</section>`;

/** @param {import("../api/replies.js").RunsReply} reply */
function withoutRuns({ logdir, logdir_exists: exists, loading: isLoading }) {
  if (!exists) return page("no_logdir", t("empty.no_logdir"), html`${t("empty.no_logdir_more")} <code>${logdir}</code>`);
  return isLoading ? loading(logdir) : page("no_runs", t("empty.no_runs"), html`${t("empty.no_runs_more")} <code>${logdir}</code>`);
}

/** @param {string} logdir */
const loading = (logdir) => page("loading", t("top.loading"), html`${t("empty.loading")} <code>${logdir}</code>`);

/** @param {import("../api/replies.js").RunsReply} reply */
function withoutScalars({ runs }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { plugins } of runs) for (const [plugin, n] of Object.entries(plugins)) counts.set(plugin, (counts.get(plugin) ?? 0) + n);
  return page("no_scalars", t("empty.no_scalars"), t("empty.no_scalars_more", { found: listFound([...counts]) || t("empty.nothing") }));
}

const withoutMatch = () =>
  page("no_match", t("empty.no_match"), nothing, html`<button class="plain" @click=${() => change({ tags: "" })}>${t("empty.clear")}</button>`);

/** @param {Error} error */
const failed = (error) => page("failed", t("empty.failed"), html`${error.message}<br>${t("empty.failed_more")}`);

/** Shown only after 200 ms: the style sheet delays it. */
const skeleton = () => html`<div class="groups skeleton" data-state="waiting" aria-hidden="true"><div class="cards">${Array.from({ length: 6 }, () => html`<div class="bone"></div>`)}</div></div>`;
