// The note of a card on what the stitched view hides, with buttons for all attempts and for each.

import { html, nothing } from "lit-html";
import { hiddenAttempts, offeredAttempts } from "../../data/runs/attempts.js";
import { attemptCounts } from "../../data/runs/catalogue.js";
import { attempt } from "../../data/series/scalar_view.js";
import { set } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @param {import("../../data/series/series.js").Series[]} series of the card @returns {import("./card_status.js").Note[]} */
export function attemptNote(series) {
  const hidden = hiddenAttempts(series, attemptCounts.value);
  const isStitched = attempt.value === "";
  if (isStitched ? !hidden.points : hidden.attempts === 1) return [];
  return [
    {
      name: "attempts",
      level: isStitched ? "info" : "notice",
      text: isStitched ? sentence(hidden) : shown(),
      hint: t("card.attempts_hint"),
      actions: buttons(hidden.attempts),
    },
  ];
}

/** @param {number} attempts */
const buttons = (attempts) => html`<span class="attempt-buttons" role="group" aria-label=${t("bar.attempt")}>
    ${attempt.value === "" ? nothing : button("", t("card.attempts_merge"), t("bar.attempt_stitched"))}
    ${attempt.value === "all" ? nothing : button("all", t("card.attempts_all"), t("bar.attempt_all"))}
    ${offeredAttempts(attempts)
      .map(String)
      .filter((number) => number !== attempt.value)
      .map((number) => button(number, number, t("card.attempts_only", { attempt: number })))}</span>`;

/** @param {ReturnType<typeof hiddenAttempts>} hidden */
const sentence = ({ points, attempts }) =>
  t(attempts === 2 ? "card.attempts_hidden" : "card.attempts_hidden_earlier", { n: grouped(points) });

const shown = () =>
  attempt.value === "all" ? t("bar.attempt_all") : t("card.attempts_only", { attempt: attempt.value });

/** @param {string} value of the setting @param {string} text @param {string} label */
const button = (value, text, label) =>
  html`<button class="text" data-attempt=${value || "stitched"} title=${label} aria-label=${label}
    @click=${() => set({ "scalar.attempt": value })}>${text}</button>`;
