// One landscape with its head and notes: as a map, drawn at once, or as the surface, whose script comes when it is
// asked for.

import { computed, effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { LazyCard } from "../../controls/lazy_card.js";
import { theme } from "../../data/view.js";
import { language } from "../../i18n/language.js";
import { hasWebGL, plotly, Surface } from "./draw/surface.js";
import { frameOf, map } from "./map.js";
import { place } from "./map_path.js";
import { MapPointer } from "./map_pointer.js";
import { keyOf } from "./model/landscapes.js";
import { pointAt } from "./model/path.js";
import { planeOf } from "./model/plane.js";
import { detailed, hasMap, hasSurface, models } from "./model.js";
import { paneFrame } from "./pane_frame.js";
import { colourOf, walkersOf } from "./panes.js";
import { cursor, pointedPlace } from "./pointer.js";
import { camera, moment, pathColour, raised, setCamera, view, withoutSurface, zooms } from "./settings.js";
import { heightOver, heightUnder, sceneOf } from "./surface_scene.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */
/** @typedef {import("./model/landscapes.js").Choice} Choice */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./panes.js").Walker} Walker */

/** What the page tells a pane.
 * @typedef {{choice: Choice, landscape: Landscape | null, error: Error | null, place: number, panes: number}} Told */

let made = 0;
/** Degrees that a key turns the surface. */
const TURN = 10;

export class LandscapePane extends LazyCard {
  /** @type {import("@preact/signals-core").Signal<Told | null>} */
  #told = signal(null);
  #size = signal({ width: 0, height: 0 });
  /** The first map is drawn in a task of its own, after all around it: scripts that are new to the browser are slow. */
  #isFramed = signal(false);
  #observer = new ResizeObserver(() => this.#measure());
  #id = `land-${++made}`;
  /** @type {Surface | null} */
  #surface = null;
  pointer = new MapPointer(this);
  /** @type {Model | null} */
  model = null;

  /** @param {Told} told */
  set told(told) {
    const known = this.#told.peek();
    const isNew =
      !known ||
      /** @type {Array<keyof Told>} */ (["landscape", "error", "place", "panes"]).some(
        (name) => known[name] !== told[name],
      );
    if (isNew || keyOf(known.choice) !== keyOf(told.choice)) this.#told.value = told;
  }

  get place() {
    return this.#told.peek()?.place ?? 0;
  }

  /** The picture as it stands: the map, the surface as a PNG, or both.
   * @returns {Promise<{svg: SVGElement | null, png: Blob | null}>} */
  async picture() {
    const svg = /** @type {SVGElement | null} */ (this.querySelector(".land-map svg"));
    return { svg, png: (await this.#surface?.png()) ?? null };
  }

  /** Whose paths are drawn. */
  get walkers() {
    return this.model ? this.#walkersOf(this.model) : [];
  }

  /** @param {Model} model */
  #walkersOf({ landscape }) {
    return walkersOf(landscape, (this.place === 0 && pathColour.value) || colourOf(landscape.run));
  }

  frame() {
    return this.model && frameOf(this.model, this.#size.peek(), zooms.peek()[this.place] ?? null);
  }

  begin() {
    const part = computed(() => JSON.stringify(zooms.value[this.#told.value?.place ?? 0] ?? null));
    const drawnZoom = computed(() => JSON.parse(part.value));
    const whole = computed(() => {
      const landscape = this.#told.value?.landscape;
      return (landscape && models.value.get(landscape)) ?? null;
    });
    const model = computed(() => whole.value && (hasMap.value ? detailed(whole.value, drawnZoom.value) : whole.value));
    const isRaised = computed(
      () =>
        hasSurface.value &&
        !withoutSurface.value &&
        model.value !== null &&
        raised.value === Math.min(this.#told.value?.place ?? 0, (this.#told.value?.panes ?? 1) - 1),
    );
    const walkers = computed(() => {
      theme.value;
      return model.value ? this.#walkersOf(model.value) : [];
    });
    const isMapped = computed(() => hasMap.value || !isRaised.value);
    const ends = [
      effect(() => {
        const told = this.#told.value;
        if (!told) return;
        this.model = model.value;
        render(paneFrame(this, told, model.value, walkers.value, isRaised.value), this);
        this.#measure();
        if (model.value && !this.#isFramed.peek()) setTimeout(() => (this.#isFramed.value = true));
      }),
      effect(() => this.#drawMap(isMapped.value ? model.value : null, drawnZoom.value, walkers.value)),
      effect(() => void (isRaised.value ? this.#raise(whole.value, walkers.value) : this.#lower())),
      effect(() => {
        const now = moment.value;
        dependOn(walkers, isRaised, drawnZoom, this.#size, language);
        this.#placeHeads(now);
      }),
      effect(() => {
        dependOn(model, isRaised, drawnZoom, this.#size);
        this.pointer.showCursor();
        this.#showSpot();
      }),
      effect(() => this.#tellTests(model.value, isRaised.value)),
      () => this.#lower(),
      () => this.#observer.disconnect(),
      () => this.pointer.leave(),
    ];
    this.#observer.observe(this);
    return ends;
  }

  #measure() {
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.querySelector(".land-map") ?? {};
    const known = this.#size.peek();
    if (width && (width !== known.width || height !== known.height)) this.#size.value = { width, height };
    this.#surface?.resize();
  }

  /** @param {Model | null} model @param {import("./settings.js").Zoom | null} part @param {Walker[]} walkers */
  #drawMap(model, part, walkers) {
    const size = this.#size.value;
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".land-map"));
    if (!host) return;
    render(
      model && size.width && this.#isFramed.value
        ? map(model, size, part, view.value !== "contours", this.#id, walkers)
        : nothing,
      host,
    );
  }

  /** @param {Model | null} model @param {Walker[]} walkers */
  async #raise(model, walkers) {
    const scene = model && sceneOf(model, walkers, !hasMap.value);
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".land-surface"));
    if (!scene || !host) return;
    this.dataset.surface ||= "waiting";
    const token = (this.#raising = {});
    try {
      if (!this.#surface && !hasWebGL()) return void (withoutSurface.value = "webgl");
      const library = await plotly();
      if (this.#raising !== token) return;
      this.#surface ??= new Surface(library, host, {
        turned: (numbers) => this.#turned(numbers),
        turning: () => {
          this.#placeHeads(moment.peek());
          this.#showSpot();
        },
        pointed: (place) =>
          (pointedPlace.value = place && this.model && { plane: planeOf(this.model.landscape), ...place }),
        lost: () => (withoutSurface.value = "lost"),
      });
      await this.#surface.draw(scene, camera.peek());
      if (this.#raising !== token) return;
      this.#placeHeads(moment.peek());
      this.#showSpot();
      this.dataset.surface = "drawn";
    } catch {
      if (this.#raising === token) withoutSurface.value = "script";
    }
  }

  #raising = {};

  #lower() {
    this.#raising = {};
    this.#surface?.destroy();
    this.#surface = null;
    delete this.dataset.surface;
  }

  /** @param {number[]} numbers */
  #turned(numbers) {
    if (this.#surface?.isUsual(numbers)) setCamera(null);
    else if (String(camera.peek()) !== String(numbers)) setCamera(numbers);
    this.dataset.camera = JSON.stringify(numbers);
  }

  /** Arrows turn the surface. @param {KeyboardEvent} event */
  turn(event) {
    const by = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] }[event.key];
    if (!by || !this.#surface) return;
    event.preventDefault();
    event.stopPropagation();
    this.#surface.turn(by[0], by[1]);
  }

  lookAsUsual() {
    this.#surface?.lookAsUsual();
  }

  /** @param {number | null} now */
  #placeHeads(now) {
    const { model, walkers } = this;
    const frame = this.frame();
    const drawing = this.querySelector(".land-map svg");
    if (!model || !frame) return;
    if (drawing) place(drawing, walkers, frame, now);
    const points = walkers.map(({ landscape: { path } }) =>
      now === null || !path?.x.length ? null : pointAt(path, now),
    );
    walkers.forEach(({ landscape, colour }, which) => {
      const point = points[which];
      this.#showHead(
        which,
        colour,
        point && (this.#surface?.place(point.x, point.y, heightOver(model, landscape, point)) ?? null),
      );
    });
    this.dataset.head = points[0] ? JSON.stringify([points[0].x, points[0].y]) : "";
  }

  /** The head of a training over the surface: it moves without drawing the surface again.
   * @param {number} which @param {string} colour
   * @param {{left: number, top: number} | null} at in pixels of the surface */
  #showHead(which, colour, at) {
    const head = this.#over(`.land-head[data-which="${which}"]`, at);
    if (head) head.style.background = colour;
  }

  /** The cursor on the surface. */
  #showSpot() {
    const { model } = this;
    const place = cursor.value;
    const isHere = model && this.#surface && place?.plane === planeOf(model.landscape);
    this.#over(
      ".land-spot",
      isHere ? (this.#surface?.place(place.x, place.y, heightUnder(model, place)) ?? null) : null,
    );
  }

  /** @param {string} selector of what lies over the surface @param {{left: number, top: number} | null} at */
  #over(selector, at) {
    const part = /** @type {HTMLElement | null} */ (this.querySelector(selector));
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".land-surface"));
    if (!part || !host) return null;
    part.hidden = at === null || !Number.isFinite(at.left + at.top);
    if (at) part.style.transform = `translate(${host.offsetLeft + at.left}px, ${host.offsetTop + at.top}px)`;
    return part;
  }

  /** What is drawn, readable from outside. @param {Model | null} model @param {boolean} isRaised */
  #tellTests(model, isRaised) {
    const landscape = model?.landscape;
    const told = {
      run: this.#told.value?.choice.run ?? "",
      tag: this.#told.value?.choice.tag ?? "",
      view: model ? (isRaised ? view.value : view.value === "contours" ? "contours" : "filled") : "",
      scale: model?.heights.scale ?? "",
      reach: JSON.stringify(model?.heights.reach ?? []),
      level: landscape?.measured ? `${landscape.measured.level}/${landscape.measured.levels}` : "",
      walkers: JSON.stringify(this.walkers.map((walker) => walker.landscape.run)),
    };
    for (const [name, value] of Object.entries(told)) this.dataset[name] = value;
  }
}

/** Runs the current effect again when one of these changes.
 * @param {...import("@preact/signals-core").ReadonlySignal<unknown>} signals */
function dependOn(...signals) {
  for (const signal of signals) signal.value;
}

customElements.define("landscape-pane", LandscapePane);
