// The minimap: the whole graph in a corner with a draggable rectangle around the visible part.

import { effect } from "@preact/signals-core";
import { html } from "lit-html";
import { theme } from "../../data/view/view.js";
import { drawMinimap } from "./draw/minimap.js";
import { graphTheme } from "./draw/theme.js";
import { visibleArea } from "./model/camera.js";
import { scene } from "./state.js";
import { camera, fit, moveCamera, viewSize, zoom } from "./viewport.js";
import { t } from "./words.js";

const MAX_SIZE = { width: 168, height: 120 };

class GraphMinimap extends HTMLElement {
  #canvas = document.createElement("canvas");
  #view = document.createElement("i");
  #scale = 1;
  /** @type {Array<() => void>} */
  #disposers = [];

  connectedCallback() {
    if (!this.firstChild) this.#build();
    this.#disposers = [
      effect(() => {
        theme.value;
        if (scene.value) this.#scale = drawMinimap(this.#canvas, scene.value, graphTheme(), MAX_SIZE);
      }),
      effect(() => this.#placeView()),
    ];
  }

  disconnectedCallback() {
    for (const dispose of this.#disposers.splice(0)) dispose();
  }

  #build() {
    this.setAttribute("aria-hidden", "true");
    this.append(this.#canvas, this.#view);
    this.addEventListener("pointerdown", (event) => {
      this.setPointerCapture(event.pointerId);
      this.#moveTo(event);
    });
    this.addEventListener("pointermove", (event) => {
      if (event.buttons) this.#moveTo(event);
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

  #placeView() {
    const [now, drawn, size] = [camera.value, scene.value, viewSize.value];
    if (!now || !drawn) return;
    const visible = visibleArea(now, size);
    const [left, top] = [Math.max(0, visible.x), Math.max(0, visible.y)];
    const [right, bottom] = [
      Math.min(drawn.width, visible.x + visible.width),
      Math.min(drawn.height, visible.y + visible.height),
    ];
    const [x, y, width, height] = [left, top, Math.max(0, right - left), Math.max(0, bottom - top)].map(
      (number) => number * this.#scale,
    );
    Object.assign(this.#view.style, {
      width: `${Math.max(4, width)}px`,
      height: `${Math.max(4, height)}px`,
      transform: `translate(${x}px,${y}px)`,
    });
    this.dataset.whole = String(width * height >= 0.999 * drawn.width * drawn.height * this.#scale ** 2);
  }

  /** @param {MouseEvent} event */
  #moveTo(event) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const now = camera.peek();
    if (now) moveCamera({ ...now, x: (event.clientX - left) / this.#scale, y: (event.clientY - top) / this.#scale });
  }
}

customElements.define("graph-minimap", GraphMinimap);

/** The zoom buttons and the minimap. */
export const minimapPanel = () => html`<div class="graph-map">
  <div class="graph-zoom" role="group" aria-label=${t("graph.zoom")}>
    <button class="quiet" data-key="zoom-in" title="${t("graph.zoom_in")} (+)" aria-label=${t("graph.zoom_in")}
      @click=${() => zoom(1.5)}>+</button>
    <button class="quiet" data-key="zoom-out" title="${t("graph.zoom_out")} (-)" aria-label=${t("graph.zoom_out")}
      @click=${() => zoom(1 / 1.5)}>−</button>
    <button class="quiet" data-key="fit" title="${t("graph.fit_hint")} (0)" @click=${fit}>${t("graph.fit")}</button>
  </div>
  <graph-minimap></graph-minimap>
</div>`;
