// The bell in the top bar: the list of alerts, and which rules and runs are muted.

import { html, nothing } from "lit-html";
import { alertRows, isNew, ruleOf } from "../../controls/alert_list.js";
import { ICONS } from "../../controls/icons.js";
import { pageKinds } from "../../controls/panel_kinds.js";
import { openAt, popover } from "../../controls/popover.js";
import { Refusal } from "../../controls/refusal.js";
import { nameOf } from "../../controls/run_name.js";
import { textOf } from "../../data/notes/alert_rule.js";
import {
  acknowledge,
  alertError,
  alertList,
  deleteRule,
  hasAlerts,
  mute,
  newAlerts,
  observeAlerts,
} from "../../data/notes/alerts.js";
import { change, view } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { t } from "../words.js";
import { canNotify, isNotifying, setNotifying } from "./notifications.js";

/** @typedef {import("../../data/notes/alerts.js").Alert} Alert */
/** @typedef {import("../../data/notes/alerts.js").AlertList} AlertList */

const ID = "alerts-sheet";
const refusal = new Refusal();

export function bell() {
  const list = alertList.value;
  if (!list || !hasAlerts.value) return nothing;
  const count = newAlerts.value;
  const label = count ? t("alerts.new", { n: count }) : t("alerts.title");
  return html`
    <button class="quiet bell" data-key="alerts" data-new=${count} aria-haspopup="dialog" title=${label}
      aria-label=${label} @click=${open}>${ICONS.bell}${
        count ? html`<span class="bell-count" aria-hidden="true">${count > 99 ? "99+" : count}</span>` : nothing
      }</button>
    ${popover({ id: ID, label: t("alerts.title") }, sheet(list, html`<h2>${t("alerts.title")}</h2>`))}`;
}

/** @param {MouseEvent} event */
function open(event) {
  refusal.forget();
  openAt(ID, event);
}

/** @param {AlertList} list @param {unknown} title of the sheet; a panel has its own */
const sheet = (list, title) => html`<div class="alerts">
  <header>${title}${canNotify ? notifyButton() : nothing}${
    list.alerts.some(isNew) && !list.read_only
      ? html`<button class="text" data-key="acknowledge-all"
        @click=${() => refusal.attempt(() => acknowledge(list.alerts.filter(isNew)))}>${t("alerts.acknowledge_all")}</button>`
      : nothing
  }</header>
  ${refusal.note}
  ${alertError.value ? html`<p class="warning">${alertError.value.message}</p>` : nothing}
  ${list.problems.map((problem) => html`<p class="warning">${problem}</p>`)}
  ${
    list.alerts.length
      ? alertRows(list.alerts, { act: refusal.attempt, of: (alert) => origin(alert, list) })
      : html`<p class="hint">${t("alerts.none")}</p>`
  }
  ${
    list.total > list.alerts.length
      ? html`<p class="hint">${t("alerts.more", { shown: grouped(list.alerts.length), n: grouped(list.total) })}</p>`
      : nothing
  }
  ${list.rules.length ? rules(list) : nothing}
</div>`;

const notifyButton = () =>
  html`<button class="text" data-key="notify" aria-pressed=${isNotifying.value}
    @click=${() => refusal.attempt(() => setNotifying(!isNotifying.value))}>${t(
      isNotifying.value ? "alerts.stop_notifying" : "alerts.notify",
    )}</button>`;

/** The run, and the rule or that the training recorded it. @param {Alert} alert @param {AlertList} list */
const origin = (alert, list) => html`
  <button class="text alert-run" title=${alert.run} @click=${() => openRun(alert.run)}>${nameOf(alert.run)}</button>
  ${ruleOf(alert)}
  ${
    list.read_only
      ? nothing
      : html`<button class="text" data-key="mute-run" aria-pressed=${list.muted_runs.includes(alert.run)}
        @click=${() => refusal.attempt(() => mute({ run: alert.run }, !list.muted_runs.includes(alert.run)))}>${t(
          list.muted_runs.includes(alert.run) ? "alerts.unmute_run" : "alerts.mute_run",
        )}</button>`
  }`;

/** @param {AlertList} list */
const rules = (list) =>
  html`<hr><h3>${t("alerts.rules")}</h3><ul class="alert-rules">${list.rules.map(
    ({ name, when, runs, made, is_muted: isMuted }) => html`<li data-rule=${name}>
    ${name === textOf({ when, runs }) ? nothing : html`<span class="rule-name">${name}</span>`}<code
      title=${textOf({ when, runs })}>${textOf({ when, runs })}</code>
    ${
      list.read_only
        ? nothing
        : html`<button class="text" data-key="mute-rule" aria-pressed=${isMuted}
          @click=${() => refusal.attempt(() => mute({ rule: name }, !isMuted))}>${t(isMuted ? "alerts.unmute" : "alerts.mute")}</button>`
    }${
      list.read_only || made === null
        ? nothing
        : html`<button class="quiet" data-key="delete-rule" title=${t("alerts.delete_rule")}
          aria-label=${t("alerts.delete_rule")} @click=${() => refusal.attempt(() => deleteRule(name))}>${ICONS.close}</button>`
    }</li>`,
  )}</ul>`;

/** Opens the page of a run. @param {string} run */
export function openRun(run) {
  document.getElementById(ID)?.hidePopover();
  change({ page: "overview", own: { ...view.peek().own, "over.run": run } });
}

pageKinds.set("alerts", {
  prefix: "alerts",
  toolbar: () => nothing,
  content: () => (alertList.value ? sheet(alertList.value, nothing) : nothing),
  follow: observeAlerts,
});
