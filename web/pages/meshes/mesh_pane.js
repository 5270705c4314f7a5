// One mesh of one run at a step: drawn, turned by gestures and keys, and what of it cannot be drawn.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { tokens } from "../../charts/theme.js";
import { action } from "../../controls/card_parts.js";
import { failedCell } from "../../controls/failure.js";
import { ICONS } from "../../controls/icons.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { nameOf } from "../../controls/run_name.js";
import { Query } from "../../data/client/query.js";
import { RequestQueue } from "../../data/client/requests.js";
import { styles } from "../../data/runs/runs.js";
import { theme } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { pathOf, readGeometry } from "./client.js";
import { frameOfVertices } from "./model/frame.js";
import { areLinked, meshRanks, mode } from "./settings.js";
import { drawing, forgetFrames, frameOf, linkedPose, widen } from "./views.js";
import { t } from "./words.js";

/** @typedef {import("./client.js").Geometry} Geometry */
/** @typedef {import("./draw/mesh_view.js").MeshView} MeshView */

const queue = new RequestQueue(2);
const newQuery = () => new Query(readGeometry, { queue });

class MeshPane extends LazyCard {
  run = "";
  tag = "";
  #step = signal(0);
  /** The mesh of the batch. */
  #sample = signal(0);
  /** @type {Query<Geometry>} */
  #query = newQuery();
  /** @type {import("@preact/signals-core").Signal<MeshView | null>} */
  #view = signal(null);

  /** @param {number} step */
  set step(step) {
    this.#step.value = step;
  }

  begin() {
    const frame = frameOf(this.tag);
    render(html`<canvas tabindex="0" role="img"></canvas><div class="mesh-notes"></div>`, this);
    const canvas = /** @type {HTMLCanvasElement} */ (this.querySelector("canvas"));
    const notes = /** @type {HTMLElement} */ (this.querySelector(".mesh-notes"));
    const path = computed(() =>
      pathOf({
        run: this.run,
        tag: this.tag,
        step: this.#step.value,
        sample: this.#sample.value,
        ...meshRanks.query.value,
      }),
    );
    const resized = new ResizeObserver(() => this.#view.peek()?.draw());
    resized.observe(canvas);
    const onKey = (/** @type {KeyboardEvent} */ event) => this.#turnByKey(event);
    canvas.addEventListener("keydown", onKey);
    void this.#open(canvas);
    return [
      this.#query.observe(() => this.#query.select(path.value)),
      effect(() => {
        const [view, shape] = [this.#view.value, this.#query.value.value];
        if (!view || !shape) return;
        const own = frameOfVertices(shape.vertices);
        if (own) widen(this.tag, this.run, own);
        view.setShape(shape, mode.value);
        theme.value;
        const { palette, surface, label } = tokens();
        view.setColours(surface, palette[styles.value.get(this.run)?.colour ?? -1] ?? label);
        this.dataset.drawnStep = String(shape.step);
        this.dataset.drawnVertices = String(shape.vertices.length / 3);
        this.dataset.drawnFaces = String(shape.faces.length / 3);
        canvas.ariaLabel = t("mesh.picture", { tag: this.tag, run: nameOf(this.run), n: grouped(shape.vertex_count) });
      }),
      effect(() => this.#view.value?.setFrame(frame.value)),
      effect(() => {
        if (areLinked.value && linkedPose.value) this.#view.value?.setPose(linkedPose.value);
      }),
      effect(() => void render(this.#notes(), notes)),
      () => resized.disconnect(),
      () => canvas.removeEventListener("keydown", onKey),
      () => this.#close(),
    ];
  }

  /** @param {HTMLCanvasElement} canvas */
  async #open(canvas) {
    const found = await drawing();
    if (!found || !this.isActive || this.#view.peek()) return;
    /** @type {MeshView} */
    const view = new found.MeshView(canvas, found.stage, () => {
      if (areLinked.peek()) linkedPose.value = view.pose;
    });
    this.#view.value = view;
  }

  #close() {
    this.#view.peek()?.destroy();
    this.#view.value = null;
    this.#query = newQuery();
  }

  /** @param {number} factor */
  zoom(factor) {
    this.#view.peek()?.zoom(factor);
  }

  /** Shows the whole mesh from the first side. */
  resetView() {
    const own = frameOfVertices(this.#query.value.peek()?.vertices ?? new Float32Array());
    if (own) widen(this.tag, this.run, own);
    this.#view.peek()?.reset();
  }

  #notes() {
    const error = this.#query.error.value;
    if (error) return failedCell(error, () => this.#query.invalidate());
    const shape = this.#query.value.value;
    if (!shape) return html`<p class="meta" role="status">${t("mesh.loading")}</p>`;
    return html`<p class="meta">${factsOf(shape)}${this.#samples(shape.samples)}</p>
      ${problemsOf(shape).map((text) => html`<p class="meta damage" data-note="problem">${text}</p>`)}`;
  }

  /** @param {number} count of meshes in the batch */
  #samples(count) {
    if (count < 2) return nothing;
    const at = this.#sample.value;
    const move = (/** @type {number} */ by) => () => (this.#sample.value = (at + by + count) % count);
    return html`<span class="mesh-sample">${action("previous-sample", t("mesh.previous"), ICONS.chevron, move(-1))}
      ${t("mesh.sample", { at: grouped(at + 1), n: grouped(count) })}
      ${action("next-sample", t("mesh.next"), ICONS.chevron, move(1))}</span>`;
  }

  /** @param {KeyboardEvent} event */
  #turnByKey(event) {
    const view = this.#view.peek();
    const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : MOVES[event.key];
    if (!view || !move) return;
    event.preventDefault();
    event.stopPropagation();
    move(view);
  }
}

/** @param {Geometry} shape */
function factsOf({ vertex_count: vertices, face_count: faces }) {
  const counted = [t("mesh.vertices", { n: vertices })];
  if (faces) counted.push(t("mesh.faces", { n: faces }));
  return counted.join(" · ");
}

/** What of a mesh is not drawn. @param {Geometry} shape */
function problemsOf(shape) {
  const texts = shape.problems.map((problem) => t("mesh.problem", { problem }));
  if (shape.lost_vertices) texts.unshift(t("mesh.lost_vertices", { n: shape.lost_vertices }));
  if (shape.lost_faces) texts.unshift(t("mesh.lost_faces", { n: shape.lost_faces }));
  if (shape.is_decimated) {
    const [vertices, faces] = [shape.vertices, shape.faces].map(({ length }) => grouped(length / 3));
    texts.unshift(shape.face_count ? t("mesh.decimated", { vertices, faces }) : t("mesh.thinned", { vertices }));
  }
  return texts;
}

/** @type {Record<string, (view: MeshView) => void>} */
const MOVES = {
  ArrowLeft: (view) => view.turn(-1, 0),
  ArrowRight: (view) => view.turn(1, 0),
  ArrowUp: (view) => view.turn(0, 1),
  ArrowDown: (view) => view.turn(0, -1),
  "+": (view) => view.zoom(1.25),
  "=": (view) => view.zoom(1.25),
  "-": (view) => view.zoom(0.8),
};

/** Shows all meshes wholly, from the first side. */
export function resetViews() {
  forgetFrames();
  for (const pane of document.querySelectorAll("mesh-pane")) /** @type {MeshPane} */ (pane).resetView();
}

/** Zooms all meshes: those whose cameras are linked follow the first one. @param {number} factor */
export function zoomViews(factor) {
  const panes = /** @type {MeshPane[]} */ ([...document.querySelectorAll("mesh-pane")]);
  for (const pane of areLinked.peek() ? panes.slice(0, 1) : panes) pane.zoom(factor);
}

customElements.define("mesh-pane", MeshPane);
