// The whole graph in a corner, and in it the part that is in sight, which can be dragged.

import { effect } from "@preact/signals-core";
import { html } from "lit-html";
import { theme } from "../../data/view.js";
import { drawMinimap } from "./draw/minimap.js";
import { graphInks } from "./draw/theme.js";
import { inSight } from "./model/camera.js";
import { scene } from "./selection_state.js";
import { camera, fit, frame, look, zoom } from "./viewport.js";
import { t } from "./words.js";

const MOST = { width: 168, height: 120 };

class GraphMinimap extends HTMLElement {
  #canvas = document.createElement("canvas");
  #view = document.createElement("i");
  #scale = 1;
  /** @type {Array<() => void>} */
  #ends = [];

  connectedCallback() {
    if (!this.firstChild) this.#build();
    this.#ends = [
      effect(() => {
        theme.value;
        if (scene.value) this.#scale = drawMinimap(this.#canvas, scene.value, graphInks(), MOST);
      }),
      effect(() => this.#place()),
    ];
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
  }

  #build() {
    this.setAttribute("aria-hidden", "true");
    this.append(this.#canvas, this.#view);
    this.addEventListener("pointerdown", (event) => {
      this.setPointerCapture(event.pointerId);
      this.#look(event);
    });
    this.addEventListener("pointermove", (event) => {
      if (event.buttons) this.#look(event);
    });
    this.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        zoom(Math.exp(-event.deltaY / 400));
      },
      { passive: false },
    );
  }

  #place() {
    const [now, drawn, size] = [camera.value, scene.value, frame.value];
    if (!now || !drawn) return;
    const seen = inSight(now, size);
    const [left, top] = [Math.max(0, seen.x), Math.max(0, seen.y)];
    const [right, bottom] = [Math.min(drawn.width, seen.x + seen.width), Math.min(drawn.height, seen.y + seen.height)];
    const [x, y, width, height] = [left, top, Math.max(0, right - left), Math.max(0, bottom - top)].map(
      (number) => number * this.#scale,
    );
    this.#view.style.cssText = `width:${Math.max(4, width)}px;height:${Math.max(4, height)}px;transform:translate(${x}px,${y}px)`;
    this.dataset.whole = String(width * height >= 0.999 * drawn.width * drawn.height * this.#scale ** 2);
  }

  /** @param {MouseEvent} event */
  #look(event) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const now = camera.peek();
    if (now) look({ ...now, x: (event.clientX - left) / this.#scale, y: (event.clientY - top) / this.#scale });
  }
}

customElements.define("graph-minimap", GraphMinimap);

/** The corner of the map: what zooms, and the map itself. */
export const mapFrame = () => html`<div class="graph-map">
  <div class="graph-zoom" role="group" aria-label=${t("graph.zoom")}>
    <button class="quiet" data-key="zoom-in" title="${t("graph.zoom_in")} (+)" aria-label=${t("graph.zoom_in")} @click=${() => zoom(1.5)}>+</button>
    <button class="quiet" data-key="zoom-out" title="${t("graph.zoom_out")} (-)" aria-label=${t("graph.zoom_out")} @click=${() => zoom(1 / 1.5)}>−</button>
    <button class="quiet" data-key="fit" title="${t("graph.fit_hint")} (0)" @click=${fit}>${t("graph.fit")}</button>
  </div>
  <graph-minimap></graph-minimap>
</div>`;
