// One landscape with its head and notes: as a map, drawn at once, or as the surface, whose script comes when it is asked for.

import { computed, effect, signal } from "@preact/signals-core";
import { nothing, render } from "lit-html";
import { hasWebGL, plotly, Surface } from "../../charts/landscape_surface.js";
import { tokens } from "../../charts/tokens.js";
import { pointAt } from "../../lib/landscape_path.js";
import { planeOf } from "../../lib/landscape_plane.js";
import { keyOf } from "../../state/landscapes.js";
import { styles } from "../../state/runs.js";
import { lang, theme } from "../../state/view.js";
import { LazyCard } from "../lazy_card.js";
import { frameOf, map } from "./map.js";
import { place } from "./map_path.js";
import { MapPointer } from "./map_pointer.js";
import { detailed, hasMap, hasSurface, heights, lossText, models } from "./model.js";
import { paneFrame } from "./pane_frame.js";
import { cursor, pointedPlace } from "./pointed.js";
import { camera, moment, pathColour, raised, setCamera, view, withoutSurface, zooms } from "./settings.js";
import { heightOver, heightUnder, sceneOf } from "./surface_scene.js";

/** @typedef {import("../../lib/landscape_reply.js").Landscape} Landscape */
/** @typedef {import("../../state/landscapes.js").Choice} Choice */
/** @typedef {import("./model.js").Model} Model */

/** What the page tells a pane. @typedef {{choice: Choice, landscape: Landscape | null, error: Error | null, place: number, panes: number}} Told */

let made = 0;
/** Degrees that a key turns the surface. */
const TURN = 10;

export class LandscapePane extends LazyCard {
  /** @type {import("@preact/signals-core").Signal<Told | null>} */
  #told = signal(null);
  #size = signal({ width: 0, height: 0 });
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
    const isNew = !known || /** @type {Array<keyof Told>} */ (["landscape", "error", "place", "panes"]).some((name) => known[name] !== told[name]);
    if (isNew || keyOf(known.choice) !== keyOf(told.choice)) this.#told.value = told;
  }

  get place() {
    return this.#told.peek()?.place ?? 0;
  }

  /** The picture as it stands: the map, the surface as a PNG, or both. @returns {Promise<{svg: SVGElement | null, png: Blob | null}>} */
  async picture() {
    const svg = /** @type {SVGElement | null} */ (this.querySelector(".land-map svg"));
    return { svg, png: (await this.#surface?.png()) ?? null };
  }

  /** What the path is drawn in. */
  get colour() {
    return (this.place === 0 && pathColour.value) || tokens().palette[styles.value.get(this.#told.value?.choice.run ?? "")?.colour ?? 0];
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
    const isRaised = computed(() => hasSurface.value && !withoutSurface.value && model.value !== null && raised.value === Math.min(this.#told.value?.place ?? 0, (this.#told.value?.panes ?? 1) - 1));
    const colour = computed(() => (theme.value, this.colour));
    const isMapped = computed(() => hasMap.value || !isRaised.value);
    const ends = [
      effect(() => {
        const told = this.#told.value;
        if (!told) return;
        this.model = model.value;
        render(paneFrame(this, told, model.value, isRaised.value), this);
        this.#measure();
      }),
      effect(() => this.#drawMap(isMapped.value ? model.value : null, drawnZoom.value, colour.value)),
      effect(() => void (isRaised.value ? this.#raise(whole.value, colour.value) : this.#lower())),
      effect(() => {
        const now = moment.value;
        model.value, isRaised.value, drawnZoom.value, colour.value, this.#size.value, lang.value;
        this.#placeHead(now);
      }),
      effect(() => {
        model.value, isRaised.value, drawnZoom.value, this.#size.value;
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

  /** @param {Model | null} model @param {import("./settings.js").Zoom | null} part @param {string} colour */
  #drawMap(model, part, colour) {
    const size = this.#size.value;
    const host = /** @type {HTMLElement | null} */ (this.querySelector(".land-map"));
    if (!host) return;
    render(model && size.width ? map(model, size, part, view.value !== "contours", this.#id, colour) : nothing, host);
  }

  /** @param {Model | null} model @param {string} colour */
  async #raise(model, colour) {
    const scene = model && sceneOf(model, colour, !hasMap.value);
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
        turning: () => (this.#placeHead(moment.peek()), this.#showSpot()),
        pointed: (place) => (pointedPlace.value = place && this.model && { plane: planeOf(this.model.landscape), ...place }),
        lost: () => (withoutSurface.value = "lost"),
      });
      await this.#surface.draw(scene, camera.peek());
      if (this.#raising !== token) return;
      this.#placeHead(moment.peek());
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
  #placeHead(now) {
    const { model } = this;
    const path = model?.landscape.path;
    if (!model || !path?.x.length) return;
    const frame = this.frame();
    const drawing = this.querySelector(".land-map svg");
    if (drawing && frame) place(drawing, path, frame, now);
    if (this.#surface) {
      const point = now === null ? null : pointAt(path, now);
      this.#showHead(point && this.#surface.place(point.x, point.y, heightOver(model, point)));
    } else this.#showHead(null);
    this.dataset.head = now === null ? "" : JSON.stringify([pointAt(path, now).x, pointAt(path, now).y]);
  }

  /** The head of the training over the surface: it moves without drawing the surface again.
   * @param {{left: number, top: number} | null} at in pixels of the surface */
  #showHead(at) {
    const head = this.#over(".land-head", at);
    if (head) head.style.background = this.colour;
  }

  /** The cursor on the surface. */
  #showSpot() {
    const { model } = this;
    const place = cursor.value;
    const isHere = model && this.#surface && place?.plane === planeOf(model.landscape);
    this.#over(".land-spot", isHere ? this.#surface?.place(place.x, place.y, heightUnder(model, place)) ?? null : null);
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
      levels: JSON.stringify(model?.heights.levels.map((level) => lossText(level, heights.value.scale)) ?? []),
      grid: JSON.stringify(landscape ? { x: [...landscape.x], y: [...landscape.y], z: landscape.z.length <= 4096 ? [...landscape.z] : [] } : null),
      path: JSON.stringify(landscape?.path ? { x: [...landscape.path.x], y: [...landscape.path.y], z: [...landscape.path.z], intervals: landscape.path.intervals } : null),
      convergence: JSON.stringify(landscape?.convergence ?? null),
      truth: JSON.stringify(landscape?.truth ? { real: [...landscape.truth.real], plane: [...landscape.truth.plane] } : null),
      level: landscape?.measured ? `${landscape.measured.level}/${landscape.measured.levels}` : "",
      plane: landscape ? planeOf(landscape) : "",
    };
    for (const [name, value] of Object.entries(told)) this.dataset[name] = value;
  }
}

customElements.define("landscape-pane", LandscapePane);
