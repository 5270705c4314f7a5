// A pane of the viewer: a picture, or its difference from another, under the camera shared by all panes.

import { effect, signal } from "@preact/signals-core";
import { render } from "lit-html";
import { PointerGestures } from "../../charts/pointer_gestures.js";
import { ImageCanvas } from "./draw/canvas.js";
import { decoded, differenceBetween, release } from "./draw/decoding.js";
import { FITTING, moved, placement, zoomed } from "./model/camera.js";
import { MOST, valuesAt } from "./model/deep.js";
import { paneStatus } from "./pane_status.js";
import { adjustment, camera, drawnWindow, gain, setCamera, valueWindow } from "./settings.js";

/** @typedef {import("./model/images.js").Picture} Picture */
/** @typedef {{left: number, top: number}} Point */
/** @typedef {import("./draw/image_worker.js").DecodeResult} DecodeResult */

/** The pointer in frame pixels; every pane shows its pixel there.
 * @type {import("@preact/signals-core").Signal<Point | null>} */
const pointed = signal(null);

const PAN = 48;
/** @type {Record<string, [right: number, down: number]>} */
const ARROWS = { ArrowLeft: [PAN, 0], ArrowRight: [-PAN, 0], ArrowUp: [0, PAN], ArrowDown: [0, -PAN] };

class ImagePane extends HTMLElement {
  #canvas = document.createElement("canvas");
  #mark = Object.assign(document.createElement("i"), { className: "pixel-mark" });
  #status = Object.assign(document.createElement("div"), { className: "pane-status" });
  #view = new ImageCanvas(this.#canvas);
  #gestures = new PointerGestures();
  /** The drawn picture, or the reason why there is none. @type
   * {import("@preact/signals-core").Signal<DecodeResult | null>} */
  #shown = signal(null);
  #frame = signal(0);
  #requested = "";
  /** Loads the requested picture; null if loading has started. @type {(() => Promise<DecodeResult>) | null} */
  #next = null;
  /** @type {Array<() => void>} */
  #stops = [];
  #size = new ResizeObserver(() => this.#frame.value++);

  connectedCallback() {
    if (!this.firstChild) this.#build();
    this.#size.observe(this);
    this.#stops = [
      () => this.#size.disconnect(),
      effect(() => {
        this.#frame.value;
        this.#view.show({ levels: this.#shown.value?.levels ?? this.#view.levels, camera: camera.value });
        this.dataset.whole = String(camera.value.zoom === 1);
      }),
      effect(() => void (this.#canvas.style.filter = this.#filter())),
      effect(() => this.#showStatus()),
    ];
  }

  disconnectedCallback() {
    for (const end of this.#stops.splice(0)) end();
    this.#view.end();
    this.#requested = "";
    this.#next = null;
    this.#draw(null);
  }

  #build() {
    this.tabIndex = 0;
    this.setAttribute("role", "group");
    this.#canvas.setAttribute("role", "img");
    this.append(this.#canvas, this.#mark, this.#status);
    this.addEventListener("wheel", (event) => this.#wheeled(event), { passive: false });
    this.addEventListener("pointerdown", (event) => this.#pointerDown(event));
    this.addEventListener("pointermove", (event) => this.#pointerMoved(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"]))
      this.addEventListener(name, ({ pointerId }) => this.#gestures.up(pointerId));
    this.addEventListener("pointerleave", () => (pointed.value = null));
    this.addEventListener("dblclick", () => setCamera(FITTING));
    this.addEventListener("keydown", (event) => this.#keyPressed(event));
  }

  /** @param {{picture: Picture, against: Picture | null, label: string}} subject against: subtracted from the
   * picture */
  set subject({ picture, against, label }) {
    this.#canvas.setAttribute("aria-label", label);
    this.setAttribute("aria-label", label);
    const window = valueWindow.value;
    const requested = `${picture.url} ${against?.url ?? ""} ${window ?? ""}`;
    if (requested === this.#requested) return;
    this.#requested = requested;
    this.#next = () => (against ? differenceBetween(against.url, picture.url) : decoded(picture.url, window));
    this.dataset.picture = picture.url;
    if (this.dataset.pending !== "true") this.#load();
  }

  /** Loads one picture at a time. While a slider is dragged, intermediate pictures are skipped; the last one is
   * always drawn. */
  async #load() {
    this.dataset.pending = "true";
    while (this.#next) {
      const load = this.#next;
      this.#next = null;
      const result = await load();
      if (this.isConnected) this.#draw(result);
      else release(result);
    }
    this.dataset.pending = "false";
    this.dataset.drawn = this.#shown.peek()?.levels ? this.dataset.picture : "";
  }

  /** @param {DecodeResult | null} result */
  #draw(result) {
    const before = this.#shown.peek();
    this.#view.levels = result?.levels ?? [];
    this.#shown.value = result;
    if (result && !result.statistics) drawnWindow.value = result.deep?.window ?? null;
    release(before);
  }

  /** The CSS filter: the gain for differences; brightness and contrast for pictures. */
  #filter() {
    const { statistics, deep } = this.#shown.value ?? {};
    if (!statistics) return adjustment.value;
    const drawn = (deep ? MOST : 255) / Math.max(1, statistics.largest);
    const wanted = gain.value === "auto" ? drawn : Number(gain.value || 1);
    const times = deep ? wanted / drawn : wanted; // Deep differences are drawn up to the largest.
    return times === 1 ? "none" : `brightness(${times})`;
  }

  #showStatus() {
    this.#frame.value;
    const shown = this.#shown.value;
    const { levels, statistics, deep } = shown ?? {};
    const read = pointed.value && levels ? this.#view.read(pointed.value) : null;
    const pixel = read && { ...read, values: deep && valuesAt(deep, read.x, read.y) };
    if (statistics)
      Object.assign(this.dataset, {
        mean: statistics.mean,
        largest: statistics.largest,
        differing: statistics.differing,
      });
    else for (const name of ["mean", "largest", "differing"]) delete this.dataset[name];
    this.dataset.pixel = pixel ? `${pixel.x},${pixel.y}` : "";
    this.dataset.colour = pixel ? (pixel.values ?? pixel.colour).join(",") : "";
    this.#markPixel(pixel);
    render(paneStatus(shown, this.#view.frame, camera.value.zoom, pixel), this.#status);
  }

  /** @param {{x: number, y: number} | null} pixel */
  #markPixel(pixel) {
    const { size, frame } = this.#view;
    this.#mark.hidden = !pixel || !size;
    if (!pixel || !size) return;
    const { scale, left, top } = placement(camera.value, frame, size);
    const side = Math.max(3, scale);
    const [x, y] = [left + pixel.x * scale, top + pixel.y * scale];
    this.#mark.style.cssText = `width:${side}px;height:${side}px;transform:translate(${x}px,${y}px)`;
  }

  /** @param {number} factor @param {Point} [at] default: the centre */
  zoom(factor, at) {
    const { size, frame } = this.#view;
    if (size)
      setCamera(zoomed(camera.peek(), factor, frame, size, at ?? { left: frame.width / 2, top: frame.height / 2 }));
  }

  /** @param {number} right @param {number} down */
  #pan(right, down) {
    const { size, frame } = this.#view;
    if (size) setCamera(moved(camera.peek(), right, down, frame, size));
  }

  /** @param {WheelEvent} event */
  #wheeled(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
    this.zoom(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) / 300), this.#point(event));
  }

  /** @param {PointerEvent} event */
  #pointerDown(event) {
    if (event.button) return;
    this.setPointerCapture(event.pointerId);
    this.#gestures.down(event.pointerId, this.#point(event));
  }

  /** @param {PointerEvent} event */
  #pointerMoved(event) {
    const at = this.#point(event);
    const move = this.#gestures.move(event.pointerId, at);
    if (move) this.#pan(move.right, move.down);
    if (move && move.factor !== 1) this.zoom(move.factor, move.at);
    pointed.value = at;
  }

  /** @param {MouseEvent} event @returns {Point} */
  #point(event) {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return { left: event.clientX - left, top: event.clientY - top };
  }

  /** @param {KeyboardEvent} event */
  #keyPressed(event) {
    const arrow = ARROWS[event.key];
    if (!arrow || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#pan(...arrow);
  }
}

customElements.define("image-pane", ImagePane);

/** Zooms all panes about their centre.
 * @param {number} factor */
export const zoomPanes = (factor) =>
  /** @type {ImagePane | null} */ (document.querySelector("image-pane"))?.zoom(factor);
