// The mark of a run that has new alerts.

import { html, nothing } from "lit-html";
import { newAlertsOf } from "../data/notes/alerts.js";
import { t } from "../i18n/words.js";
import { ICONS } from "./icons.js";

/** @param {string} run */
export function alertMark(run) {
  const count = newAlertsOf(run);
  return count
    ? html`<span class="alert-mark" role="img" title=${alertsHint(run)}
      aria-label=${alertsHint(run)}>${ICONS.bell}</span>`
    : nothing;
}

/** "2 new alerts"; "" if there are none. @param {string} run */
export const alertsHint = (run) => (newAlertsOf(run) ? t("alerts.new", { n: newAlertsOf(run) }) : "");
