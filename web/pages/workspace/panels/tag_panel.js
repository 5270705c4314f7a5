// The card of a tag, with all runs that are drawn, as on the page of its kind.

import { computed, effect, signal } from "@preact/signals-core";
import { html, render } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { tagKinds } from "../../../controls/panel_kinds.js";
import { t } from "../words.js";
import { PanelElement } from "./panel_element.js";

class TagPanel extends PanelElement {
  #kind = signal("");

  /** @param {string} kind */
  set kind(kind) {
    this.#kind.value = kind;
  }

  begin() {
    const kind = computed(() => tagKinds.get(this.#kind.value));
    const tag = computed(() => String(this.settings.value.tag ?? ""));
    return [
      effect(() => kind.value?.tags.follow()),
      effect(() => {
        render(contentOf(kind.value, tag.value), this);
      }),
    ];
  }
}

/** @param {import("../../../controls/panel_kinds.js").TagKind | undefined} kind @param {string} tag */
function contentOf(kind, tag) {
  if (!kind || !tag) return html`<div class="state">${t("ws.no_tag")}</div>`;
  const rows = kind.tags.runsByTag.value.get(tag);
  if (!rows) return html`<div class="state">${kind.tags.rows.value ? t("ws.no_points") : ""}</div>`;
  return html`<div class="ws-media groups" data-size="m" tabindex="0">${keyed(tag, kind.card(tag, rows))}</div>`;
}

customElements.define("tag-panel", TagPanel);
