// Tips: one at a time, on the page they are about, until they are dismissed.

import { computed, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { runs } from "../../data/runs/catalogue.js";
import { narrow, page } from "../../data/view/view.js";
import { t } from "../words.js";
import { nextHint, parseDismissed } from "./hint_list.js";

const STORED = "toposcope.hints";

/** Names of dismissed tips. @type {import("@preact/signals-core").Signal<ReadonlySet<string>>} */
const dismissed = signal(parseDismissed(stored()));
/** After one is dismissed, the next one waits for another visit. */
const isQuiet = signal(false);

/** A tip needs something to try it on, and room: a phone has neither keys nor space. */
const shown = computed(() =>
  isQuiet.value || narrow.value || !runs.value.length ? null : nextHint(page.value, dismissed.value),
);

export const hint = () =>
  shown.value
    ? html`<aside class="hint-bar" aria-label=${t("hint.title")} data-hint=${shown.value.name}>
      <span>${t(`hint.${shown.value.name}`)}</span>
      <button class="text" data-key="hints-off" @click=${() => dismiss("off")}>${t("hint.off")}</button>
      <button class="quiet" data-key="dismiss" title=${t("hint.dismiss")} aria-label=${t("hint.dismiss")}
        @click=${() => dismiss(shown.peek()?.name ?? "")}>${ICONS.close}</button>
    </aside>`
    : nothing;

/** @param {string} name "off" = all */
function dismiss(name) {
  dismissed.value = new Set([...dismissed.peek(), name]);
  isQuiet.value = true;
  try {
    localStorage.setItem(STORED, JSON.stringify([...dismissed.peek()]));
  } catch {
    // Without storage they are dismissed for this visit.
  }
}

function stored() {
  try {
    return localStorage.getItem(STORED) ?? "";
  } catch {
    return "";
  }
}
