// The points of an embedding: drawn with WebGL, pointed at, clicked, and selected by a lasso.

import { effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { tokens } from "../../charts/theme.js";
import { assetUrl } from "../../data/client/assets.js";
import { theme } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { EMPHASIS } from "./draw/emphasis.js";
import { coloursOf } from "./model/colouring.js";
import { insideOf } from "./model/lasso.js";
import { positionsOf } from "./model/positions.js";
import { chooseRow, chosenRow, dimensions } from "./settings.js";
import { shadesOfTheme } from "./shades.js";
import {
  axes,
  colouring,
  isWaiting,
  labelNumber,
  labels,
  pointed,
  pointedPoint,
  selected,
  shown,
  standing,
} from "./state.js";
import { thumbnail } from "./thumbnail.js";
import { t } from "./words.js";

/** @typedef {import("./draw/point_cloud.js").PointCloud} PointCloud */

/** Pixels that the pointer may move during a click. */
const STILL = 4;
/** Pixels of the thumbnail beside the pointer. */
const THUMBNAIL = 56;
const LONGEST_LABEL = 40;

/** Does a drag draw a lasso? Otherwise only with Shift. */
export const isLasso = signal(false);
/** Why nothing is drawn: "webgl", "script", or "". @type {import("@preact/signals-core").Signal<"" | "webgl" | "script">} */
export const drawingFailure = signal("");

class EmbeddingScatter extends HTMLElement {
  /** @type {import("@preact/signals-core").Signal<PointCloud | null>} */
  #cloud = signal(null);
  /** @type {Array<() => void>} */
  #ends = [];
  /** The line that is drawn by hand. @type {Array<[x: number, y: number]>} */
  #line = [];
  /** Where the pointer was pressed. @type {{x: number, y: number} | null} */
  #pressed = null;
  #pointer = { x: 0, y: 0 };
  #frame = 0;

  connectedCallback() {
    render(
      html`<canvas tabindex="0" role="img"></canvas>
        <svg class="emb-lasso" aria-hidden="true"><path></path></svg>
        <div class="emb-labels" aria-hidden="true"></div>
        <div class="emb-tip" hidden></div>`,
      this,
    );
    drawingFailure.value = "";
    void this.#open(this.#part("canvas"));
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
    this.#cloud.peek()?.destroy();
    this.#cloud.value = null;
    cancelAnimationFrame(this.#frame);
    pointed.value = null;
  }

  /** @template {Element} Part @param {string} selector @returns {Part} */
  #part(selector) {
    return /** @type {Part} */ (this.querySelector(selector));
  }

  /** @param {HTMLCanvasElement} canvas */
  async #open(canvas) {
    try {
      /** @type {typeof import("./draw/point_cloud.js")} */
      const { PointCloud } = await import(assetUrl("spatial.js"));
      if (!this.isConnected) return;
      this.#follow(
        canvas,
        withWebGL(() => new PointCloud(canvas, () => this.#placeLabels())),
      );
    } catch (error) {
      drawingFailure.value = error === NO_WEBGL ? "webgl" : "script";
    }
  }

  /** @param {HTMLCanvasElement} canvas @param {PointCloud} cloud */
  #follow(canvas, cloud) {
    this.#cloud.value = cloud;
    const resized = new ResizeObserver(() => cloud.resize());
    resized.observe(canvas);
    let drawn = "";
    this.#ends = [
      () => resized.disconnect(),
      effect(() => {
        const [of, reply] = [axes.value, shown.value];
        if (!of || !reply) return;
        const { run, name } = reply.place;
        const which = JSON.stringify([run, name, of.length]);
        cloud.setPoints(positionsOf(of), of.length === 3 ? 3 : 2, which === drawn && isMoving());
        drawn = which;
        this.dataset.drawnPoints = String(of[0].length);
        canvas.ariaLabel = t("emb.picture", { n: grouped(of[0].length) });
      }),
      effect(() => {
        theme.value;
        cloud.setBackground(tokens().surface);
        const [of, reply] = [axes.value, shown.value];
        if (!of || !reply) return;
        const strong = new Set([...standing.value].map((row) => row / reply.stride).filter(Number.isInteger));
        cloud.setColours(coloursOf(of, colouring.value, shadesOfTheme(), { strong, levels: EMPHASIS }));
      }),
      effect(() => {
        labels.value;
        labelNumber.value;
        this.#placeLabels();
      }),
      effect(() => this.#showTip()),
      effect(() => cloud.setMoves(!isLasso.value)),
      effect(() => void (this.dataset.waiting = String(isWaiting.value))),
      effect(() => void (this.dataset.lasso = String(isLasso.value))),
    ];
    this.#listen(canvas, cloud);
  }

  /** @param {HTMLCanvasElement} canvas @param {PointCloud} cloud */
  #listen(canvas, cloud) {
    canvas.addEventListener(
      "pointerdown",
      (event) => {
        this.#pressed = placeOf(event);
        // Before the controls see it, which listen for the same event.
        if (event.button === 0 && (event.shiftKey || isLasso.peek())) this.#startLine(event, canvas, cloud);
      },
      { capture: true },
    );
    canvas.addEventListener("pointermove", (event) => {
      this.#pointer = placeOf(event);
      if (this.#line.length) this.#continueLine();
      else if (!event.buttons) this.#pointSoon(cloud);
    });
    canvas.addEventListener("pointerleave", () => (pointed.value = null));
    canvas.addEventListener("pointerup", (event) => {
      if (this.#line.length) return this.#endLine(cloud);
      const { x, y } = placeOf(event);
      const isClick = this.#pressed && Math.hypot(x - this.#pressed.x, y - this.#pressed.y) <= STILL;
      if (isClick && event.button === 0) this.#click(cloud.pointAt(x, y, event.pointerType === "mouse" ? 8 : 20));
    });
    canvas.addEventListener("pointercancel", () => this.#dropLine(cloud));
    canvas.addEventListener("keydown", (event) => moveByKey(event, cloud));
    canvas.addEventListener("dblclick", () => cloud.reset());
    canvas.addEventListener("webglcontextlost", () => {
      if (this.isConnected) drawingFailure.value = "webgl"; // Otherwise it was released.
    });
  }

  resetView() {
    this.#cloud.peek()?.reset();
  }

  /** @param {number} factor */
  zoom(factor) {
    this.#cloud.peek()?.zoom(factor);
  }

  /** Searches at most once a frame. @param {PointCloud} cloud */
  #pointSoon(cloud) {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      const at = cloud.pointAt(this.#pointer.x, this.#pointer.y);
      pointed.value = at === null ? null : at * (shown.peek()?.stride ?? 1);
      this.#showTip();
    });
  }

  /** @param {number | null} at */
  #click(at) {
    const row = at === null ? null : at * (shown.peek()?.stride ?? 1);
    chooseRow(row === chosenRow.peek() ? null : row);
    if (at === null) selected.value = null;
  }

  /** @param {PointerEvent} event @param {HTMLCanvasElement} canvas @param {PointCloud} cloud */
  #startLine(event, canvas, cloud) {
    const { x, y } = placeOf(event);
    this.#line = [[x, y]];
    pointed.value = null;
    cloud.setMoves(false);
    canvas.setPointerCapture(event.pointerId);
  }

  #continueLine() {
    this.#line.push([this.#pointer.x, this.#pointer.y]);
    this.#part(".emb-lasso path").setAttribute("d", `M${this.#line.map((place) => place.join(" ")).join("L")}Z`);
  }

  /** @param {PointCloud} cloud */
  #endLine(cloud) {
    const isInside = insideOf(this.#line);
    const stride = shown.peek()?.stride ?? 1;
    const rows = this.#line.length > 2 ? cloud.pointsIn(isInside).map((at) => at * stride) : [];
    this.#dropLine(cloud);
    selected.value = rows.length ? rows : null;
  }

  /** @param {PointCloud} cloud */
  #dropLine(cloud) {
    this.#line = [];
    this.#part(".emb-lasso path").removeAttribute("d");
    cloud.setMoves(!isLasso.peek());
  }

  /** Draws the labels next to their points. */
  #placeLabels() {
    const cloud = this.#cloud.peek();
    const reply = shown.peek();
    if (!cloud || !reply) return;
    const points = labels.peek();
    const places = cloud.placesOf(points.map(({ row }) => row / reply.stride));
    const number = labelNumber.peek();
    render(
      points.map(({ row, values }) => {
        const place = places.get(row / reply.stride);
        const text = values[number]?.slice(0, LONGEST_LABEL);
        return place && text
          ? html`<span data-chosen=${row === chosenRow.peek()} style="translate:${Math.round(place.x)}px ${Math.round(
              place.y,
            )}px">${text}</span>`
          : nothing;
      }),
      this.#part(".emb-labels"),
    );
  }

  /** Shows what is under the pointer, beside it. */
  #showTip() {
    const tip = /** @type {HTMLElement} */ (this.#part(".emb-tip"));
    const [row, point, reply] = [pointed.value, pointedPoint.value, shown.value];
    tip.hidden = row === null || !reply;
    this.toggleAttribute("data-pointed", !tip.hidden);
    if (tip.hidden || row === null || !reply) return;
    const { x, y } = this.#pointer;
    tip.style.translate = `${x}px ${y}px`;
    tip.dataset.side = x > this.clientWidth / 2 ? "left" : "right";
    tip.dataset.end = y > this.clientHeight / 2 ? "above" : "below";
    render(
      html`<div>${thumbnail(reply.sprite, row, THUMBNAIL)}<dl>${
        reply.columns.length
          ? reply.columns.slice(0, 6).map((name, at) => html`<dt>${name}</dt><dd>${point?.values[at] ?? "…"}</dd>`)
          : html`<dt></dt><dd>${t("emb.point", { row: grouped(row) })}</dd>`
      }</dl></div>`,
      tip,
    );
  }
}

const NO_WEBGL = new Error("there is no WebGL");

/** @template Result @param {() => Result} make @returns {Result} @throws {Error} NO_WEBGL if it fails */
function withWebGL(make) {
  try {
    return make();
  } catch {
    throw NO_WEBGL;
  }
}

const isMoving = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {PointerEvent | MouseEvent} event */
const placeOf = ({ offsetX: x, offsetY: y }) => ({ x, y });

/** @type {Record<string, (cloud: PointCloud) => void>} */
const MOVES = {
  ArrowLeft: (cloud) => cloud.move(-1, 0),
  ArrowRight: (cloud) => cloud.move(1, 0),
  ArrowUp: (cloud) => cloud.move(0, 1),
  ArrowDown: (cloud) => cloud.move(0, -1),
};

/** @param {KeyboardEvent} event @param {PointCloud} cloud */
function moveByKey(event, cloud) {
  const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : MOVES[event.key];
  if (!move) return;
  event.preventDefault();
  event.stopPropagation();
  move(cloud);
}

const drawn = () => /** @type {EmbeddingScatter | null} */ (document.querySelector("embedding-scatter"));

/** Shows all points again. */
export const resetView = () => drawn()?.resetView();

/** @param {number} factor */
export const zoomView = (factor) => drawn()?.zoom(factor);

/** Changes between two and three dimensions. */
export const otherDimensions = () => (dimensions.peek() === "2" ? "3" : "2");

customElements.define("embedding-scatter", EmbeddingScatter);
