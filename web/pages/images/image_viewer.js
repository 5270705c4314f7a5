// The viewer of one tag: panes for runs and steps side by side, their differences, and a film strip of all steps.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { action, cellState, runTitle, stepOf, tagTitle } from "../../controls/card_parts.js";
import { choice } from "../../controls/choice.js";
import { ICONS } from "../../controls/icons.js";
import { rankNote } from "../../controls/rank_choice.js";
import { nameOf } from "../../controls/run_name.js";
import { stepSlider } from "../../controls/step_slider.js";
import { SteppedCard } from "../../controls/stepped_card.js";
import { indexAtOrBefore } from "../../controls/steps.js";
import { filmStrip, scrollStripTo } from "./film_strip.js";
import { zoomPanes } from "./image_pane.js";
import { FITTING } from "./model/camera.js";
import { MOST } from "./model/deep.js";
import { momentsOf } from "./model/images.js";
import { activate, activePane, closePanes, MAX_PANES, panesOf, setPanes } from "./panes.js";
import {
  camera,
  drawnWindow,
  GAINS,
  gain,
  IMAGE_SOURCE,
  imageStep,
  setCamera,
  setGain,
  setValueWindow,
  valueWindow,
} from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./model/images.js").Moment} Moment */
/** @typedef {import("../../controls/stepped_card.js").Cell<Moment>} Cell */
/** @typedef {import("./panes.js").Pane} Pane */
/** A pane with its letter and content.
 * @typedef {Pane & {letter: string, cell: Cell, moment: Moment | undefined}} Shown */

/** @extends SteppedCard<Moment> */
class ImageViewer extends SteppedCard {
  get source() {
    return IMAGE_SOURCE;
  }

  /** @param {{images: import("./model/images.js").ImageEntry[]}} reply */
  momentsOf(reply) {
    return momentsOf(reply.images);
  }

  get panes() {
    return panesOf(this.cells.value.map(({ run }) => run));
  }

  /** @returns {Shown[]} */
  get shown() {
    return this.panes.map((pane, place) => {
      const cell = /** @type {Cell} */ (this.cells.value.find(({ run }) => run === pane.run));
      return {
        ...pane,
        cell,
        letter: String.fromCharCode(65 + place),
        moment: this.momentAt(cell, this.#stepOf(pane)),
      };
    });
  }

  /** @param {Pane} pane */
  #stepOf = (pane) => pane.step ?? imageStep.at(this.tag);

  /** @param {number} place @param {Partial<Pane>} change */
  #change(place, change) {
    setPanes(this.panes.map((pane, other) => (other === place ? { ...pane, ...change } : pane)));
  }

  /** @param {Pane} pane */
  #add(pane) {
    if (this.panes.length >= MAX_PANES) return;
    setPanes([...this.panes, pane]);
    activate(this.panes.length - 1);
  }

  /** @param {number} place */
  #remove(place) {
    setPanes(this.panes.filter((_, other) => other !== place));
    activate(Math.max(0, activePane(this.panes.length + 1) - 1));
  }

  /** Moves the active pane if it has its own step, else all panes that follow the page.
   * @param {number} by */
  move(by) {
    const place = activePane(this.panes.length);
    const pane = this.shown[place];
    if (pane?.step === null && imageStep.own(this.tag) !== null) return super.move(by);
    if (!pane || pane.step === null) return imageStep.move(by);
    const steps = pane.cell.moments.peek().map(({ step }) => step);
    this.#change(place, {
      step: steps[Math.max(0, Math.min(steps.length - 1, indexAtOrBefore(steps, pane.step) + by))],
    });
  }

  template() {
    const { shown } = this;
    const active = shown[activePane(shown.length)];
    return html`
      ${this.#head(shown)}
      <div class="panes"
        style="--columns:${columnsFor(shown.length)};--rows:${Math.ceil(shown.length / columnsFor(shown.length))}">
        ${repeat(
          shown,
          (_, place) => place,
          (pane, place) => this.#pane(pane, place, shown),
        )}
      </div>
      ${
        active
          ? filmStrip(active, shown, {
              show: (step) => this.#change(shown.indexOf(active), { step }),
              add: (step) => this.#add({ run: active.run, step, index: active.index }),
            })
          : nothing
      }`;
  }

  /** What is drawn, in detail. */
  debugState() {
    return { panes: this.shown.map(({ run, moment }) => [run, moment?.step ?? null]) };
  }

  rendered() {
    const current = this.querySelector('.film [data-current="true"]');
    if (current instanceof HTMLElement && current !== this.#current) scrollStripTo((this.#current = current));
  }

  /** The frame that the film strip was last scrolled to. @type {HTMLElement | null} */
  #current = null;

  /** @param {Shown[]} shown */
  #head(shown) {
    const options = /** @type {Array<[string, string, string]>} */ ([
      ["", t("image.off"), t("image.off_hint")],
      ...GAINS.map((value) => [value, value === "auto" ? t("image.auto") : `×${value}`, t("image.gain_hint")]),
    ]);
    return html`
      <header>
        ${action("back", t("image.back"), html`<span class="turned">${ICONS.chevron}</span>`, closePanes)}
        ${tagTitle(this.tag)}
        ${
          this.cells.value.length > 1
            ? html`<div class="run-chips" role="group" aria-label=${t("image.runs")}>${repeat(
                this.cells.value,
                ({ run }) => run,
                ({ run }) => this.#chip(run, shown),
              )}</div>`
            : nothing
        }
        <span class="space"></span>
        ${
          shown.length > 1
            ? html`<span
              class="meta">${t("image.difference")}</span>${choice(
                "difference",
                t("image.difference"),
                options,
                gain.value,
                setGain,
              )}`
            : html`<span class="meta" data-note="alone">${t("image.alone")}</span>`
        }
        ${drawnWindow.value ? valueWindowFields(valueWindow.value ?? drawnWindow.value) : nothing}
        <div class="actions zoom" role="group" aria-label=${t("image.zoom")}>
          ${action("zoom-out", t("image.zoom_out"), "−", () => zoomPanes(1 / 1.5))}
          ${action("zoom-fit", t("image.zoom_fit"), ICONS.shrink, () => setCamera(FITTING), camera.value.zoom === 1)}
          ${action("zoom-in", t("image.zoom_in"), "+", () => zoomPanes(1.5))}
        </div>
      </header>`;
  }

  /** @param {string} run @param {Shown[]} shown */
  #chip(run, shown) {
    const isShown = shown.some((pane) => pane.run === run);
    const toggle = () =>
      isShown
        ? shown.some((pane) => pane.run !== run) && setPanes(this.panes.filter((pane) => pane.run !== run))
        : this.#add({ run, step: null, index: 0 });
    return html`<button class="run-chip" data-run=${run} aria-pressed=${isShown}
      title=${t(isShown ? "image.remove_run" : "image.add_run", { run: nameOf(run) })}
      @click=${toggle}>${runTitle(run)}</button>`;
  }

  /** @param {Shown} pane @param {number} place @param {Shown[]} shown */
  #pane(pane, place, shown) {
    const { run, step, moment, letter, cell } = pane;
    const first = place > 0 && gain.value ? shown[0] : null;
    const picture = moment?.pictures[Math.min(pane.index, moment.pictures.length - 1)];
    const against = first?.moment?.pictures[Math.min(first.index, first.moment.pictures.length - 1)] ?? null;
    const isActive = shown.length > 1 && activePane(shown.length) === place;
    const label = t("image.alt", { tag: this.tag, run: nameOf(run), step: moment?.step ?? "–" });
    return html`
      <figure class="pane" data-run=${run} data-step=${moment?.step ?? ""} data-active=${isActive}
        data-difference=${Boolean(against)} @pointerdown=${() => activate(place)} @focusin=${() => activate(place)}>
        <figcaption>
          ${shown.length > 1 ? html`<b class="letter">${against ? `|${letter} − A|` : letter}</b>` : nothing}
          ${runTitle(run)}${rankNote(cell.listing)}
          ${moment && moment.pictures.length > 1 ? this.#pictureChoice(pane, place, moment) : nothing}
          ${
            moment
              ? stepOf(run, moment, step ?? imageStep.own(this.tag) ?? imageStep.shared.value ?? Infinity)
              : nothing
          }
          ${shown.length > 1 ? action("remove", t("image.remove"), ICONS.close, () => this.#remove(place)) : nothing}
        </figcaption>
        ${
          picture
            ? html`<image-pane .subject=${{ picture, against, label }}></image-pane>`
            : html`<div class="pane-empty">${cellState(cell, moment)}</div>`
        }
        ${this.#paneSlider(pane, place)}
      </figure>`;
  }

  /** @param {Shown} pane @param {number} place @param {Moment} moment */
  #pictureChoice(pane, place, moment) {
    const at = Math.min(pane.index, moment.pictures.length - 1);
    const to = (/** @type {number} */ index) =>
      this.#change(place, { index: (index + moment.pictures.length) % moment.pictures.length });
    return html`<span
      class="picture-choice">${action("picture-back", t("image.picture_back"), "‹", () => to(at - 1))}<span
      class="meta">${at + 1}/${moment.pictures.length}</span>${action(
        "picture-forth",
        t("image.picture_forth"),
        "›",
        () => to(at + 1),
      )}</span>`;
  }

  /** @param {Shown} pane @param {number} place */
  #paneSlider(pane, place) {
    const steps = pane.cell.moments.value.map(({ step }) => step);
    if (steps.length < 2) return nothing;
    return html`<footer data-own=${pane.step !== null}>
      ${stepSlider({
        steps,
        at: Math.max(0, indexAtOrBefore(steps, this.#stepOf(pane))),
        changed: (at) => this.#change(place, { step: steps[at] }),
        label: t("image.pane_step", { letter: pane.letter }),
        key: "pane-step",
      })}
      ${
        pane.step === null
          ? nothing
          : html`<button class="quiet follow" data-key="follow" title=${t("step.follow")} aria-label=${t("step.follow")}
            @click=${() => this.#change(place, { step: null })}>${ICONS.reset}</button>`
      }
    </footer>`;
  }
}

/** The values that are black and white in pictures with 16 bits a channel: those chosen, even if not drawn yet.
 * @param {import("./model/deep.js").ValueWindow} window */
const valueWindowFields = ([
  black,
  white,
]) => html`<div class="value-window" role="group" aria-label=${t("image.window")}>
  <span class="meta" title=${t("image.window_hint")}>${t("image.window")}</span>
  ${valueField("black", black, (value) => [value, Math.max(value + 1, white)])}–
  ${valueField("white", white, (value) => [Math.min(value - 1, black), value])}
  ${valueWindow.value ? action("window-reset", t("image.window_reset"), ICONS.reset, () => setValueWindow(null)) : nothing}
</div>`;

/** @param {"black" | "white"} end @param {number} value
 * @param {(value: number) => import("./model/deep.js").ValueWindow} windowOf */
const valueField = (end, value, windowOf) => html`<input type="number" min=${end === "white" ? 1 : 0}
  max=${end === "white" ? MOST : MOST - 1} step="1" data-key=${`window-${end}`} aria-label=${t(`image.window_${end}`)}
  .value=${String(value)} @change=${(/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (field.checkValidity() && field.value) setValueWindow(windowOf(field.valueAsNumber));
    else field.value = String(value);
  }}>`;

/** @param {number} count of panes */
const columnsFor = (count) => (count <= 3 ? count || 1 : Math.ceil(Math.sqrt(count)));

customElements.define("image-viewer", ImageViewer);
