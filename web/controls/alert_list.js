// A list of alerts: what happened when, in which run, and to whom it was sent.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { acknowledge, alertList } from "../data/notes/alerts.js";
import { grouped } from "../i18n/numbers.js";
import { wallTime } from "../i18n/times.js";
import { t } from "../i18n/words.js";
import { ICONS } from "./icons.js";
import { formatted } from "./markdown/text_body.js";

/** @typedef {import("../data/notes/alerts.js").Alert} Alert */

/** @param {Alert[]} alerts newest first @param {{act: (act: () => Promise<void>) => void, of?: (alert: Alert) => unknown}} how
 * act: does what may be refused; of: what to show of the run and the rule */
export const alertRows = (alerts, { act, of = () => nothing }) =>
  html`<ul class="alert-list">${repeat(
    alerts,
    ({ id }) => id,
    (alert) => html`<li data-alert=${alert.id} data-level=${alert.level} data-new=${isNew(alert)}>
    <span class="alert-level" role="img" aria-label=${t(`alerts.level_${alert.level}`)}
      title=${t(`alerts.level_${alert.level}`)}>${alert.level === "info" ? ICONS.details : ICONS.warning}</span>
    <div>
      <p class="alert-title">${alert.title}</p>
      ${alert.text ? html`<div class="alert-text">${formatted(alert.text)}</div>` : nothing}
      <p class="alert-facts"><time>${wallTime(alert.wall_time)}</time>${
        alert.step === null ? nothing : html`<span>${t("alerts.step", { step: grouped(alert.step) })}</span>`
      }${of(alert)}${alert.deliveries.map(delivery)}</p>
    </div>
    ${
      isNew(alert) && !alertList.value?.read_only
        ? html`<button class="quiet" data-key="acknowledge" title=${t("alerts.acknowledge")}
          aria-label=${t("alerts.acknowledge")} @click=${() => act(() => acknowledge([alert]))}>${ICONS.check}</button>`
        : nothing
    }
  </li>`,
  )}</ul>`;

/** @param {Alert} alert */
export const isNew = (alert) => !(alert.is_acknowledged || alert.is_muted);

/** The rule, unless the alert has its name, or that the training recorded the alert. @param {Alert} alert */
export const ruleOf = ({ rule, title }) =>
  rule === title ? nothing : html`<span>${rule ?? t("alerts.of_training")}</span>`;

/** @param {import("../data/notes/alerts.js").AlertDelivery} delivery */
function delivery({ to, sent, problem, is_over: isOver }) {
  if (sent !== null) return html`<span title=${wallTime(sent)}>${t("alerts.sent", { to })}</span>`;
  const text = t(isOver ? "alerts.not_sent" : "alerts.waiting", { to });
  return html`<span class="alert-problem" title=${problem ?? nothing}>${problem ? `${text}: ${problem}` : text}</span>`;
}
