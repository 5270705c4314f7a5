// The graph's canvas and its gestures: drag, zoom, expand and keyboard navigation.

import { effect } from "@preact/signals-core";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { PointerGestures } from "../../charts/pointer_gestures.js";
import { theme } from "../../data/view/view.js";
import { activate, clearSelection, selectNeighbour } from "./actions.js";
import { drawGraph } from "./draw/canvas.js";
import { graphTheme } from "./draw/theme.js";
import { unhide } from "./expansion.js";
import { pointAt } from "./model/camera.js";
import { typeText } from "./model/edge_types.js";
import { boxAt } from "./model/scene.js";
import { select, selected } from "./settings.js";
import { isBusy, pendingReveal, scene } from "./state.js";
import { camera, emphasis, fit, hovered, moveCamera, pan, reveal, viewSize, zoom } from "./viewport.js";
import { t } from "./words.js";

/** @typedef {import("./model/scene.js").Scene} Scene */
/** @typedef {import("./model/camera.js").Place} Place */

/** A pointer that moves at most so many pixels between press and release makes a click. */
const CLICK_TOLERANCE = 4;

class GraphView extends HTMLElement {
  #canvas = document.createElement("canvas");
  #status = Object.assign(document.createElement("p"), { className: "in-words" });
  #gestures = new PointerGestures();
  #resizeObserver = new ResizeObserver(() => this.#measure());
  /** @type {Place | null} */
  #pressed = null;
  /** @type {Scene | null} */
  #shown = null;
  /** @type {Array<() => void>} */
  #disposers = [];

  connectedCallback() {
    if (!this.firstChild) this.#build();
    this.#resizeObserver.observe(this);
    this.#disposers = [
      () => this.#resizeObserver.disconnect(),
      () => cancelDraw(this.#draw),
      effect(() => this.#arrange()),
      effect(() => {
        [scene.value, camera.value, viewSize.value, emphasis.value, theme.value];
        scheduleDraw(this.#draw);
      }),
      effect(() => {
        const { box, label, isOpen } = scene.value?.byId.get(selected.value) ?? {};
        this.#status.textContent =
          box && label
            ? [label.text, t(`graph.kind_${box.kind}`), isOpen ? t("graph.expanded") : box.members[0]?.op]
                .filter(Boolean)
                .join(", ")
            : "";
      }),
      effect(() => {
        const { box, label } = scene.value?.byId.get(hovered.value) ?? {};
        this.title =
          box && label
            ? [
                box.count > 1 ? label.text : hovered.value,
                box.members[0]?.op,
                typeText(box.members[0]?.types[0] ?? null),
              ]
                .filter(Boolean)
                .join("\n")
            : "";
      }),
      effect(() => {
        this.setAttribute("aria-label", t("graph.canvas"));
        this.setAttribute("aria-busy", String(isBusy.value));
        if (isBusy.value) this.dataset.drawn = "false";
        else scheduleDraw(this.#draw);
      }),
    ];
  }

  disconnectedCallback() {
    for (const dispose of this.#disposers.splice(0)) dispose();
    this.#shown = null;
    camera.value = null;
  }

  /** The drawn state, for tests. */
  debugState() {
    return { scene: this.#shown, camera: camera.peek(), emphasis: emphasis.peek() };
  }

  #build() {
    this.tabIndex = 0;
    this.setAttribute("role", "application");
    this.#status.setAttribute("role", "status");
    this.append(this.#canvas, this.#status);
    this.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
    this.addEventListener("pointerdown", (event) => this.#onPointerDown(event));
    this.addEventListener("pointermove", (event) => this.#onPointerMove(event));
    this.addEventListener("pointerup", (event) => this.#onPointerUp(event));
    this.addEventListener("pointercancel", ({ pointerId }) => this.#gestures.up(pointerId));
    this.addEventListener("pointerleave", () => (hovered.value = ""));
    this.addEventListener("dblclick", (event) => this.#onDoubleClick(event));
    this.addEventListener("keydown", (event) => this.#onKeyDown(event));
  }

  #measure() {
    const { clientWidth: width, clientHeight: height } = this;
    const ratio = devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    viewSize.value = { width, height };
  }

  /** Adopts a new layout: the selected box keeps its position; a box that waits to be revealed is revealed. */
  #arrange() {
    const drawn = scene.value;
    const size = viewSize.value;
    if (!drawn || !size.width) return;
    const before = this.#shown;
    this.#shown = drawn;
    const now = camera.peek();
    if (!before || !now) {
      fit();
    } else if (before !== drawn) {
      const [old, next] = [before.byId.get(selected.peek()), drawn.byId.get(selected.peek())];
      if (old && next) {
        moveCamera({ ...now, x: now.x + next.x + next.width / 2 - old.x - old.width / 2, y: now.y + next.y - old.y });
        reveal(next);
      } else moveCamera(now);
    }
    const name = pendingReveal.value;
    const isVisible = name !== "" && unhide(drawn, name);
    const box = drawn.byId.get(name);
    if (!isVisible || !box) return;
    reveal(box);
    pendingReveal.value = "";
  }

  #draw = () => {
    const now = camera.peek();
    const context = this.#canvas.getContext("2d");
    if (!this.#shown || !now || !context) return;
    drawGraph(context, this.#shown, now, viewSize.peek(), devicePixelRatio || 1, graphTheme(), emphasis.peek());
    Object.assign(this.dataset, {
      boxes: this.#shown.boxes.length,
      lines: this.#shown.lines.length,
      scale: now.scale.toFixed(3),
      drawn: String(!isBusy.peek()),
    });
  };

  /** @param {MouseEvent} event @returns {Place} */
  #position(event) {
    const { left, top } = this.getBoundingClientRect();
    return { left: event.clientX - left, top: event.clientY - top };
  }

  /** @param {MouseEvent} event */
  #boxUnder(event) {
    const now = camera.peek();
    return now && this.#shown ? boxAt(this.#shown, pointAt(now, viewSize.peek(), this.#position(event))) : null;
  }

  /** @param {WheelEvent} event */
  #onWheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
    zoom(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) / 400), this.#position(event));
  }

  /** @param {PointerEvent} event */
  #onPointerDown(event) {
    if (event.button) return;
    this.setPointerCapture(event.pointerId);
    this.#pressed = this.#position(event);
    this.#gestures.down(event.pointerId, this.#pressed);
  }

  /** @param {PointerEvent} event */
  #onPointerMove(event) {
    const at = this.#position(event);
    const pressed = this.#pressed;
    if (pressed && Math.hypot(at.left - pressed.left, at.top - pressed.top) > CLICK_TOLERANCE) this.#pressed = null;
    const move = this.#pressed ? null : this.#gestures.move(event.pointerId, at);
    if (move) {
      pan(move.right, move.down);
      if (move.factor !== 1) zoom(move.factor, move.at);
    } else if (!event.buttons) hovered.value = this.#boxUnder(event)?.id ?? "";
  }

  /** @param {PointerEvent} event */
  #onPointerUp(event) {
    this.#gestures.up(event.pointerId);
    if (this.#pressed) select(this.#boxUnder(event)?.id ?? "");
    this.#pressed = null;
  }

  /** @param {MouseEvent} event */
  #onDoubleClick(event) {
    const box = this.#boxUnder(event);
    if (box) activate(box);
    else fit();
  }

  /** @param {KeyboardEvent} event */
  #onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const box = this.#shown?.byId.get(selected.peek());
    const isHandled =
      event.key === "Enter"
        ? Boolean(box && activate(box))
        : event.key === "Escape"
          ? clearSelection()
          : event.key.startsWith("Arrow") && selectNeighbour(event.key);
    if (!isHandled) return;
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("graph-view", GraphView);
