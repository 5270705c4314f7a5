// The chip in the header of a card that counts the spikes its y range leaves out, and shows or leaves them out again.

import { html, nothing } from "lit-html";
import { isWhole, outliers, toggleWhole } from "../../data/series/scalar_view.js";
import { grouped } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @param {string} tag @param {import("../../charts/clipped.js").Counts} spikes */
export function spikesChip(tag, { above, below }) {
  const isShown = outliers.value === "ignored" && isWhole(tag);
  if (!above && !below && !isShown) return nothing;
  const counts = [above && `▲ ${grouped(above)}`, below && `▼ ${grouped(below)}`].filter(Boolean).join(" ");
  const action = t(isShown ? "card.show_lines" : "card.show_all");
  const summary = isShown ? action : `${t("card.spikes", { n: grouped(above + below) })}. ${action}`;
  return html`<button class="quiet spikes-chip" data-note="spikes" title="${summary}\n${t("card.spikes_hint")}"
    aria-label=${summary} @click=${() => toggleWhole(tag)}>${isShown ? nothing : html`<span class="count">${counts}</span>`}<span
    class="action">${action}</span></button>`;
}
