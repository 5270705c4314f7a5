// The note of a card on lines that contain the points of several programs, which wrote a run at the same time.

import { html, nothing } from "lit-html";
import { nameOf } from "../../controls/run_name.js";
import { writerCounts } from "../../data/catalogue.js";
import { t } from "./words.js";

/** Runs that the hint names. */
const MOST_NAMED = 20;

/** @param {import("../../data/series.js").Series[]} series of the card */
export function writerNote(series) {
  const together = series.filter(({ run, rank }) => rank === 0 && writerCounts.value.get(run));
  if (!together.length) return nothing;
  const counts = new Map(together.map(({ run }) => [run, writerCounts.value.get(run) ?? 0]));
  const each = [...counts]
    .slice(0, MOST_NAMED)
    .map(([run, count]) => `${nameOf(run)}: ${t("card.writers", { count })}`);
  const count = Math.max(...counts.values());
  return html`<span class="meta" data-note="writers" title=${[t("card.writers_hint"), ...each].join("\n")}>${t(
    "card.writers",
    { count },
  )}</span>`;
}
