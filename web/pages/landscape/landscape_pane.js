// A pane: one landscape with its header and notes, as a map or as a surface. The surface's script is loaded on first
// use.

import { computed, effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { LazyCard } from "../../controls/lazy_card.js";
import { theme } from "../../data/view/view.js";
import { language } from "../../i18n/language.js";
import { frameOf, map } from "./draw/map.js";
import { place } from "./draw/map_path.js";
import { hasWebGL, plotly, Surface } from "./draw/surface.js";
import { heightOver, heightUnder, sceneOf } from "./draw/surface_scene.js";
import { MapPointer } from "./map_pointer.js";
import { hasMap, hasSurface, models, zoomedModel } from "./model/drawing.js";
import { keyOf } from "./model/landscapes.js";
import { pointAt } from "./model/path.js";
import { planeOf } from "./model/plane.js";
import { paneFrame } from "./pane_frame.js";
import { colourOf, trajectoriesOf } from "./panes.js";
import { cursor, pointedPlace } from "./pointer.js";
import { camera, moment, pathColour, setCamera, surfaceFailure, surfacePane, view, zooms } from "./settings.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */
/** @typedef {import("./model/landscapes.js").Choice} Choice */
/** @typedef {import("./model/drawing.js").Model} Model */
/** @typedef {import("./panes.js").Trajectory} Trajectory */

/** The input of a pane.
 * @typedef {{choice: Choice, landscape: Landscape | null, error: Error | null, place: number, panes: number}}
 * PaneInput */

let paneCount = 0;
/** Degrees by which an arrow key rotates the surface. */
const TURN = 10;

export class LandscapePane extends LazyCard {
  /** @type {import("@preact/signals-core").Signal<PaneInput | null>} */
  #input = signal(null);
  #size = signal({ width: 0, height: 0 });
  /** The first map is drawn in a separate task after its surroundings, since newly loaded code runs slowly. */
  #isFramed = signal(false);
  #observer = new ResizeObserver(() => this.#measure());
  #id = `land-${++paneCount}`;
  /** @type {Surface | null} */
  #surface = null;
  pointer = new MapPointer(this);
  /** @type {Model | null} */
  model = null;

  /** @param {PaneInput} input */
  set input(input) {
    const previous = this.#input.peek();
    const isNew =
      !previous ||
      /** @type {Array<keyof PaneInput>} */ (["landscape", "error", "place", "panes"]).some(
        (name) => previous[name] !== input[name],
      );
    if (isNew || keyOf(previous.choice) !== keyOf(input.choice)) this.#input.value = input;
  }

  get place() {
    return this.#input.peek()?.place ?? 0;
  }

  /** The current picture: the map, the surface as a PNG, or both.
   * @returns {Promise<{svg: SVGElement | null, png: Blob | null}>} */
  async picture() {
    const svg = /** @type {SVGElement | null} */ (this.querySelector(".land-map svg"));
    return { svg, png: (await this.#surface?.png()) ?? null };
  }

  /** The drawn training paths. */
  get trajectories() {
    return this.model ? this.#trajectoriesOf(this.model) : [];
  }

  /** @param {Model} model */
  #trajectoriesOf({ landscape }) {
    return trajectoriesOf(landscape, (this.place === 0 && pathColour.value) || colourOf(landscape.run));
  }

  frame() {
    return this.model && frameOf(this.model, this.#size.peek(), zooms.peek()[this.place] ?? null);
  }

  begin() {
    const part = computed(() => JSON.stringify(zooms.value[this.#input.value?.place ?? 0] ?? null));
    const drawnZoom = computed(() => JSON.parse(part.value));
    const whole = computed(() => {
      const landscape = this.#input.value?.landscape;
      return (landscape && models.value.get(landscape)) ?? null;
    });
    const model = computed(
      () => whole.value && (hasMap.value ? zoomedModel(whole.value, drawnZoom.value) : whole.value),
    );
    const isSurface = computed(
      () =>
        hasSurface.value &&
        !surfaceFailure.value &&
        model.value !== null &&
        surfacePane.value === Math.min(this.#input.value?.place ?? 0, (this.#input.value?.panes ?? 1) - 1),
    );
    const trajectories = computed(() => {
      theme.value;
      return model.value ? this.#trajectoriesOf(model.value) : [];
    });
    const isMapped = computed(() => hasMap.value || !isSurface.value);
    const stops = [
      effect(() => {
        const input = this.#input.value;
        if (!input) return;
        this.model = model.value;
        render(paneFrame(this, input, model.value, trajectories.value, isSurface.value), this);
        this.#measure();
        if (model.value && !this.#isFramed.peek()) setTimeout(() => (this.#isFramed.value = true));
      }),
      effect(() => this.#drawMap(isMapped.value ? model.value : null, drawnZoom.value, trajectories.value)),
      effect(() => void (isSurface.value ? this.#showSurface(whole.value, trajectories.value) : this.#removeSurface())),
      effect(() => {
        const now = moment.value;
        dependOn(trajectories, isSurface, drawnZoom, this.#size, language);
        this.#placeHeads(now);
      }),
      effect(() => {
        dependOn(model, isSurface, drawnZoom, this.#size);
        this.pointer.showCursor();
        this.#showCursor();
      }),
      effect(() => this.#publishState(model.value, isSurface.value)),
      () => this.#removeSurface(),
      () => this.#observer.disconnect(),
      () => this.pointer.leave(),
    ];
    this.#observer.observe(this);
    return stops;
  }

  #measure() {
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.querySelector(".land-map") ?? {};
    const current = this.#size.peek();
    if (width && (width !== current.width || height !== current.height)) this.#size.value = { width, height };
    this.#surface?.resize();
  }

  /** @param {Model | null} model @param {import("./settings.js").Zoom | null} part @param {Trajectory[]}
   * trajectories */
  #drawMap(model, part, trajectories) {
    const size = this.#size.value;
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".land-map"));
    if (!host) return;
    render(
      model && size.width && this.#isFramed.value
        ? map(model, size, part, view.value !== "contours", this.#id, trajectories)
        : nothing,
      host,
    );
  }

  /** @param {Model | null} model @param {Trajectory[]} trajectories */
  async #showSurface(model, trajectories) {
    const scene = model && sceneOf(model, trajectories, !hasMap.value);
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".land-surface"));
    if (!scene || !host) return;
    this.dataset.surface ||= "waiting";
    const token = (this.#raising = {});
    try {
      if (!this.#surface && !hasWebGL()) return void (surfaceFailure.value = "webgl");
      const library = await plotly();
      if (!this.#surface) await painted(); // The first drawing blocks the page: its message comes first.
      if (this.#raising !== token) return;
      this.#surface ??= new Surface(library, host, {
        rotated: (numbers) => this.#rotated(numbers),
        rotating: () => {
          this.#placeHeads(moment.peek());
          this.#showCursor();
        },
        pointed: (place) =>
          (pointedPlace.value = place && this.model && { plane: planeOf(this.model.landscape), ...place }),
        lost: () => (surfaceFailure.value = "lost"),
      });
      await this.#surface.draw(scene, camera.peek());
      if (this.#raising !== token) return;
      this.#placeHeads(moment.peek());
      this.#showCursor();
      this.dataset.surface = "drawn";
    } catch {
      if (this.#raising === token) surfaceFailure.value = "script";
    }
  }

  /** Identifies the latest call of `#showSurface`: earlier ones stop. */
  #raising = {};
  /** The camera after the last rotation. @type {number[] | null} */
  #lastCamera = null;

  #removeSurface() {
    this.#raising = {};
    this.#surface?.destroy();
    this.#surface = null;
    delete this.dataset.surface;
  }

  /** @param {number[]} numbers */
  #rotated(numbers) {
    if (this.#surface?.isDefaultCamera(numbers)) setCamera(null);
    else if (String(camera.peek()) !== String(numbers)) setCamera(numbers);
    this.#lastCamera = numbers;
  }

  /** Rotates the surface by the arrow keys. @param {KeyboardEvent} event */
  rotate(event) {
    const by = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] }[event.key];
    if (!by || !this.#surface) return;
    event.preventDefault();
    event.stopPropagation();
    this.#surface.rotate(by[0], by[1]);
  }

  resetCamera() {
    this.#surface?.resetCamera();
  }

  /** @param {number | null} now */
  #placeHeads(now) {
    const { model, trajectories } = this;
    const frame = this.frame();
    const drawing = this.querySelector(".land-map svg");
    if (!model || !frame) return;
    if (drawing) place(drawing, trajectories, frame, now);
    const points = trajectories.map(({ landscape: { path } }) =>
      now === null || !path?.x.length ? null : pointAt(path, now),
    );
    trajectories.forEach(({ landscape, colour }, which) => {
      const point = points[which];
      this.#placeHead(
        which,
        colour,
        point && (this.#surface?.place(point.x, point.y, heightOver(model, landscape, point)) ?? null),
      );
    });
  }

  /** Moves the current position on a path over the surface, without drawing the surface again.
   * @param {number} which @param {string} colour
   * @param {{left: number, top: number} | null} at in pixels of the surface */
  #placeHead(which, colour, at) {
    const head = this.#placeOverlay(`.land-head[data-which="${which}"]`, at);
    if (head) head.style.background = colour;
  }

  /** Shows the cursor on the surface. */
  #showCursor() {
    const { model } = this;
    const place = cursor.value;
    const isHere = model && this.#surface && place?.plane === planeOf(model.landscape);
    this.#placeOverlay(
      ".land-spot",
      isHere ? (this.#surface?.place(place.x, place.y, heightUnder(model, place)) ?? null) : null,
    );
  }

  /** @param {string} selector of an overlay of the surface @param {{left: number, top: number} | null} at */
  #placeOverlay(selector, at) {
    const part = /** @type {HTMLElement | null} */ (this.querySelector(selector));
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".land-surface"));
    if (!part || !host) return null;
    part.hidden = at === null || !Number.isFinite(at.left + at.top);
    if (at) part.style.transform = `translate(${host.offsetLeft + at.left}px, ${host.offsetTop + at.top}px)`;
    return part;
  }

  /** Publishes what is drawn as data attributes, for styles and tests. @param {Model | null} model
   * @param {boolean} isSurface */
  #publishState(model, isSurface) {
    const landscape = model?.landscape;
    const state = {
      run: this.#input.value?.choice.run ?? "",
      tag: this.#input.value?.choice.tag ?? "",
      view: model ? (isSurface ? view.value : view.value === "contours" ? "contours" : "filled") : "",
      scale: model?.heights.scale ?? "",
      level: landscape?.measured ? `${landscape.measured.level}/${landscape.measured.levels}` : "",
      paths: String(this.trajectories.length),
    };
    for (const [name, value] of Object.entries(state)) this.dataset[name] = value;
  }

  /** What is drawn, in detail. */
  debugState() {
    const { model, trajectories } = this;
    const now = moment.peek();
    const [{ landscape: { path = null } = {} } = {}] = trajectories;
    const head = now === null || !path?.x.length ? null : pointAt(path, now);
    return {
      runs: trajectories.map(({ landscape }) => landscape.run),
      range: model?.heights.range ?? null,
      head: head && [head.x, head.y],
      camera: this.#lastCamera,
    };
  }
}

/** Resolves when what was changed is on the screen. */
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** Runs the current effect again when one of these changes.
 * @param {...import("@preact/signals-core").ReadonlySignal<unknown>} signals */
function dependOn(...signals) {
  for (const signal of signals) signal.value;
}

customElements.define("landscape-pane", LandscapePane);
