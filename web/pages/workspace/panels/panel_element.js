// A panel that draws only while it is in or near the viewport, and keeps its data for a while after.

import { signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { LazyCard } from "../../../controls/lazy_card.js";
import { forget, remember } from "../../../controls/recent_cards.js";

/** @typedef {import("../../../data/workspaces/workspace_check.js").Settings} Settings */

export class PanelElement extends LazyCard {
  #text = "";
  /** The settings, inherited ones included; changes only when one of them does. */
  settings = signal(/** @type {Settings} */ ({}));
  /** The name of its zoom in the address. */
  zoom = signal("");

  /** @param {{settings: Settings, zoom: string}} model */
  set model({ settings, zoom }) {
    const text = JSON.stringify(settings);
    if (text !== this.#text) this.settings.value = settings;
    this.#text = text;
    this.zoom.value = zoom;
  }

  activate() {
    forget(this);
    super.activate();
  }

  deactivate() {
    const wasActive = this.isActive;
    super.deactivate();
    if (wasActive) remember(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    if (!this.isConnected) this.drop();
  }

  /** Drops its data, which is fetched again when it becomes visible. */
  drop() {
    forget(this);
    render(nothing, this);
  }
}
