// The graph on its canvas, under the hands of the reader: dragged, zoomed, opened, walked through.

import { effect } from "@preact/signals-core";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { PointerGestures } from "../../charts/pointer_gestures.js";
import { theme } from "../../data/view.js";
import { activate, cleared, walk } from "./actions.js";
import { drawGraph } from "./draw/picture.js";
import { graphInks } from "./draw/theme.js";
import { uncover } from "./expansion.js";
import { pointAt } from "./model/camera.js";
import { typeText } from "./model/edge_types.js";
import { boxAt } from "./model/scene.js";
import { isBusy, scene, sought } from "./selection_state.js";
import { select, selected } from "./settings.js";
import { camera, emphasis, fit, frame, hovered, look, pan, show, zoom } from "./viewport.js";
import { t } from "./words.js";

/** @typedef {import("./model/scene.js").Scene} Scene */
/** @typedef {import("./model/camera.js").Place} Place */

/** A press that moves the hand no further is a click. */
const STILL = 4;

class GraphView extends HTMLElement {
  #canvas = document.createElement("canvas");
  #words = Object.assign(document.createElement("p"), { className: "in-words" });
  #gestures = new PointerGestures();
  #size = new ResizeObserver(() => this.#measure());
  /** @type {Place | null} */
  #pressed = null;
  /** @type {Scene | null} */
  #shown = null;
  /** @type {Array<() => void>} */
  #ends = [];

  connectedCallback() {
    if (!this.firstChild) this.#build();
    this.#size.observe(this);
    this.#ends = [
      () => this.#size.disconnect(),
      () => cancelDraw(this.#draw),
      effect(() => this.#arrange()),
      effect(() => {
        [scene.value, camera.value, frame.value, emphasis.value, theme.value];
        scheduleDraw(this.#draw);
      }),
      effect(() => {
        const { box, face, isOpen } = scene.value?.byId.get(selected.value) ?? {};
        this.#words.textContent =
          box && face
            ? [face.label, t(`graph.kind_${box.kind}`), isOpen ? t("graph.is_open") : box.members[0]?.op]
                .filter(Boolean)
                .join(", ")
            : "";
      }),
      effect(() => {
        const { box, face } = scene.value?.byId.get(hovered.value) ?? {};
        this.title =
          box && face
            ? [
                box.count > 1 ? face.label : hovered.value,
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
    for (const end of this.#ends.splice(0)) end();
    this.#shown = null;
    camera.value = null;
  }

  /** What is drawn. */
  get scene() {
    return this.#shown;
  }

  /** Which part of it is in sight. */
  get camera() {
    return camera.peek();
  }

  /** What stands out in it. */
  get emphasis() {
    return emphasis.peek();
  }

  #build() {
    this.tabIndex = 0;
    this.setAttribute("role", "application");
    this.#words.setAttribute("role", "status");
    this.append(this.#canvas, this.#words);
    this.addEventListener("wheel", (event) => this.#wheeled(event), { passive: false });
    this.addEventListener("pointerdown", (event) => this.#down(event));
    this.addEventListener("pointermove", (event) => this.#moved(event));
    this.addEventListener("pointerup", (event) => this.#up(event));
    this.addEventListener("pointercancel", ({ pointerId }) => this.#gestures.up(pointerId));
    this.addEventListener("pointerleave", () => (hovered.value = ""));
    this.addEventListener("dblclick", (event) => this.#doubled(event));
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  #measure() {
    const { clientWidth: width, clientHeight: height } = this;
    const ratio = devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    frame.value = { width, height };
  }

  /** A new layout: what is selected stays where it is; what is sought is brought into sight. */
  #arrange() {
    const drawn = scene.value;
    const size = frame.value;
    if (!drawn || !size.width) return;
    const before = this.#shown;
    this.#shown = drawn;
    const now = camera.peek();
    if (!before || !now) {
      fit();
    } else if (before !== drawn) {
      const [old, next] = [before.byId.get(selected.peek()), drawn.byId.get(selected.peek())];
      if (old && next) {
        look({ ...now, x: now.x + next.x + next.width / 2 - old.x - old.width / 2, y: now.y + next.y - old.y });
        show(next);
      } else look(now);
    }
    const name = sought.value;
    const isFound = name !== "" && uncover(drawn, name);
    const box = drawn.byId.get(name);
    if (!isFound || !box) return;
    show(box);
    sought.value = "";
  }

  #draw = () => {
    const now = camera.peek();
    const context = this.#canvas.getContext("2d");
    if (!this.#shown || !now || !context) return;
    drawGraph(context, this.#shown, now, frame.peek(), devicePixelRatio || 1, graphInks(), emphasis.peek());
    Object.assign(this.dataset, {
      boxes: this.#shown.boxes.length,
      lines: this.#shown.lines.length,
      scale: now.scale.toFixed(3),
      drawn: String(!isBusy.peek()),
    });
  };

  /** @param {MouseEvent} event @returns {Place} */
  #place(event) {
    const { left, top } = this.getBoundingClientRect();
    return { left: event.clientX - left, top: event.clientY - top };
  }

  /** @param {MouseEvent} event */
  #under(event) {
    const now = camera.peek();
    return now && this.#shown ? boxAt(this.#shown, pointAt(now, frame.peek(), this.#place(event))) : null;
  }

  /** @param {WheelEvent} event */
  #wheeled(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
    zoom(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) / 400), this.#place(event));
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button) return;
    this.setPointerCapture(event.pointerId);
    this.#pressed = this.#place(event);
    this.#gestures.down(event.pointerId, this.#pressed);
  }

  /** @param {PointerEvent} event */
  #moved(event) {
    const at = this.#place(event);
    const pressed = this.#pressed;
    if (pressed && Math.hypot(at.left - pressed.left, at.top - pressed.top) > STILL) this.#pressed = null;
    const move = this.#pressed ? null : this.#gestures.move(event.pointerId, at);
    if (move) {
      pan(move.right, move.down);
      if (move.factor !== 1) zoom(move.factor, move.at);
    } else if (!event.buttons) hovered.value = this.#under(event)?.id ?? "";
  }

  /** @param {PointerEvent} event */
  #up(event) {
    this.#gestures.up(event.pointerId);
    if (this.#pressed) select(this.#under(event)?.id ?? "");
    this.#pressed = null;
  }

  /** @param {MouseEvent} event */
  #doubled(event) {
    const box = this.#under(event);
    if (box) activate(box);
    else fit();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const box = this.#shown?.byId.get(selected.peek());
    const isTaken =
      event.key === "Enter"
        ? Boolean(box && activate(box))
        : event.key === "Escape"
          ? cleared()
          : event.key.startsWith("Arrow") && walk(event.key);
    if (!isTaken) return;
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("graph-view", GraphView);
