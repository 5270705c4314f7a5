// A page, or a part of it, in a panel that keeps its settings. What a page shows exists once: of several panels of a kind, one is drawn.

import { computed, effect, signal, untracked } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { pageKinds } from "../../../controls/panel_kinds.js";
import { stopAll } from "../../../data/client/stop_all.js";
import { keepSettings } from "../../../data/view/view.js";
import { textsIn } from "../model/page_settings.js";
import { t } from "../words.js";
import { PanelElement } from "./panel_element.js";

/** The panel of each kind that is drawn.
 * @type {import("@preact/signals-core").Signal<ReadonlyMap<string, PagePanel>>} */
const drawn = signal(new Map());

class PagePanel extends PanelElement {
  kind = "";
  /** Changes settings of the panel. @type {(values: Readonly<Record<string, string>>) => void} */
  keep = () => {};

  begin() {
    const { kind } = this;
    const page = pageKinds.get(kind);
    if (!page) return [];
    const isDrawn = computed(() => drawn.value.get(kind) === this);
    const values = computed(() => textsIn(this.settings.value));
    return [
      () => this.#leave(),
      effect(() => void (drawn.value.has(kind) || this.#enter())),
      effect(() => {
        if (!isDrawn.value) return;
        const keeper = { values, set: (/** @type {Readonly<Record<string, string>>} */ to) => this.keep(to) };
        return untracked(() => stopAll([keepSettings(page.prefix, keeper), page.follow()]));
      }),
      effect(() => {
        render(isDrawn.value ? this.#template(page) : this.#elsewhere(), this);
      }),
    ];
  }

  /** Only the drawn panel has elements of the page. */
  deactivate() {
    super.deactivate();
    this.drop();
  }

  #enter() {
    drawn.value = new Map(drawn.peek()).set(this.kind, this);
  }

  #leave() {
    const others = new Map(drawn.peek());
    if (others.get(this.kind) === this && others.delete(this.kind)) drawn.value = others;
  }

  /** @param {import("../../../controls/panel_kinds.js").PageKind} page */
  #template(page) {
    const toolbar = page.toolbar();
    return html`<div class="ws-page" tabindex="0">
      ${toolbar === nothing ? nothing : html`<div class="ws-page-toolbar">${toolbar}</div>`}
      ${page.content()}</div>`;
  }

  #elsewhere() {
    return html`<div class="state"><p>${t("ws.drawn_elsewhere")}</p>
      <button class="plain" data-key="draw-here" @click=${() => this.#enter()}>${t("ws.draw_here")}</button></div>`;
  }
}

customElements.define("page-panel", PagePanel);
