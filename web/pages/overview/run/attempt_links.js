// The number of a run's attempts, with links to the charts of all of them and of each.

import { html } from "lit-html";
import { offeredAttempts } from "../../../data/runs/attempts.js";
import { view } from "../../../data/view/view.js";
import { t } from "../words.js";
import { linkTo } from "./link.js";

/** @param {import("../../../data/client/api_types.js").RunRow} row */
export function attemptLinks({ run, attempts }) {
  const link = (/** @type {string} */ attempt, /** @type {string} */ text) =>
    linkTo(run, { page: "scalars", own: { ...view.value.own, "scalar.attempt": attempt } }, text, `attempt-${attempt}`);
  return html`${attempts} <span class="attempt-links" title=${t("state.attempts_more")}>${link(
    "all",
    t("bar.attempt_all"),
  )}${offeredAttempts(attempts).map((number) => link(String(number), t("card.attempt", { attempt: number })))}</span>`;
}
