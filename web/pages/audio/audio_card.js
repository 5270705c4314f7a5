// The card of one tag: a player for each clip of each run at one step.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { cardHead, cardSlider, cellState, runTitle, stepOf } from "../../controls/card_parts.js";
import { fileName } from "../../controls/download.js";
import { ICONS } from "../../controls/icons.js";
import { rankNote } from "../../controls/rank_choice.js";
import { nameOf } from "../../controls/run_name.js";
import { SteppedCard } from "../../controls/stepped_card.js";
import { bytes } from "../../i18n/numbers.js";
import { endingOf, isPlayable, lengthText, momentsOf, rateText, secondsOf } from "./model/clips.js";
import { audioRanks, audioStep, isInStep, isLooped } from "./settings.js";
import { t } from "./words.js";
import "./clip_picture.js";

/** @typedef {import("./model/clips.js").Clip} Clip */
/** @typedef {import("./model/clips.js").Moment} Moment */
/** @typedef {import("../../controls/stepped_card.js").Cell<Moment>} Cell */

/** Clips of one step in a cell. */
const MAX_OF_VALUE = 10;
/** Cells whose players load the length of their clip before they are played. */
const MAX_PREPARED = 12;
/** Samples a second where a clip does not say so. */
const USUAL_RATE = 44_100;

/** @extends SteppedCard<Moment> */
class AudioCard extends SteppedCard {
  /** The runs with a clip that plays: newer steps do not replace it. */
  #playing = signal(/** @type {ReadonlySet<string>} */ (new Set()));
  /** What each cell showed last. @type {Map<string, Moment | undefined>} */
  #shown = new Map();

  /** The player that played last. @type {HTMLAudioElement | null} */
  #last = null;

  get source() {
    return { kind: /** @type {const} */ ("audio"), page: audioStep, ranks: audioRanks };
  }

  /** @param {{clips: import("./model/clips.js").ClipEntry[]}} reply */
  momentsOf(reply) {
    return momentsOf(reply.clips);
  }

  template() {
    const step = audioStep.at(this.tag);
    const shown = new Set(this.cells.value.map((cell) => this.#momentOf(cell, step)?.step));
    return html`
      ${cardHead(this, nothing)}
      <div class="cells">${repeat(
        this.cells.value,
        (cell) => cell.run,
        (cell) => this.#cell(cell, step, shown.size > 1 || this.cells.value.length === 1),
      )}</div>
      ${cardSlider(this)}`;
  }

  /** What a cell shows at a step: at the latest one, a clip that plays is not replaced by a newer one.
   * @param {Cell} cell @param {number} step */
  #momentOf(cell, step) {
    const isHeld = step === Infinity && this.#playing.value.has(cell.run);
    const moment = (isHeld && this.#shown.get(cell.run)) || this.momentAt(cell, step);
    this.#shown.set(cell.run, moment);
    return moment;
  }

  /** @param {Cell} cell @param {number} step @param {boolean} named with its step, unless all cells show the same one */
  #cell(cell, step, named) {
    const moment = this.#momentOf(cell, step);
    const selected = audioStep.own(this.tag) ?? audioStep.shared.value ?? Infinity;
    return html`
      <figure class="cell" data-run=${cell.run} data-step=${moment?.step ?? ""}>
        <figcaption>${runTitle(cell.run)}${rankNote(cell.listing)}${
          named && moment ? stepOf(cell.run, moment, selected) : nothing
        }</figcaption>
        ${cellState(cell, moment) ?? this.#clips(cell.run, /** @type {Moment} */ (moment))}
      </figure>`;
  }

  /** @param {string} run @param {Moment} moment */
  #clips(run, { step, clips }) {
    const more = clips.length - MAX_OF_VALUE;
    return html`
      ${clips.slice(0, MAX_OF_VALUE).map((clip) => this.#clip(run, step, clip))}
      ${more > 0 ? html`<p class="meta">${t("audio.more", { n: more })}</p>` : nothing}`;
  }

  /** @param {string} run @param {number} step @param {Clip} clip */
  #clip(run, step, clip) {
    const label = t("audio.of", { tag: this.tag, run: nameOf(run), step });
    return html`<div class="clip">
      ${
        !clip.url
          ? html`<p class="cell-state">${t("audio.not_included")}</p>`
          : isPlayable(clip)
            ? html`<clip-picture .input=${{ url: clip.url, rate: clip.sample_rate ?? USUAL_RATE, run, label }}></clip-picture>
              <audio controls ?loop=${isLooped.value} preload=${this.cells.value.length > MAX_PREPARED ? "none" : "metadata"} src=${clip.url} aria-label=${label}
                @play=${(/** @type {Event} */ { target }) => this.#started(run, target)}
                @pause=${() => this.#ended(run)} @ended=${() => this.#ended(run)}
                @emptied=${() => this.#ended(run)}></audio>`
            : html`<p class="cell-state">${t("audio.unknown_format")}</p>`
      }
      <p class="meta"><span>${factsOf(clip)}</span>${
        clip.url
          ? html`<a class="quiet" href=${clip.url} download=${fileName(`${this.tag}_${step}`, endingOf(clip))}
              title=${t("audio.download")} aria-label="${t("audio.download")}: ${label}">${ICONS.csv}</a>`
          : nothing
      }</p>
      ${clip.label ? html`<p class="clip-label">${clip.label}</p>` : nothing}
    </div>`;
  }

  /** One clip plays at a time: in step, from where the last one of the card was.
   * @param {string} run @param {EventTarget | null} target */
  #started(run, target) {
    const player = /** @type {HTMLAudioElement} */ (target);
    const before = this.#last;
    this.#last = player;
    for (const other of document.querySelectorAll("audio")) if (other !== player) other.pause();
    if (isInStep.peek() && before?.isConnected && before !== player && before.currentTime < player.duration)
      player.currentTime = before.ended ? 0 : before.currentTime;
    this.#playing.value = new Set([run]);
  }

  /** @param {string} run */
  #ended(run) {
    if (this.#playing.peek().has(run)) this.#playing.value = new Set();
  }
}

/** @param {Clip} clip */
function factsOf(clip) {
  const seconds = secondsOf(clip);
  return [
    seconds === null ? "" : lengthText(seconds),
    clip.sample_rate ? rateText(clip.sample_rate) : "",
    clip.channels ? channelsText(clip.channels) : "",
    bytes(clip.bytes),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** @param {number} channels */
const channelsText = (channels) =>
  channels === 1 ? t("audio.mono") : channels === 2 ? t("audio.stereo") : t("audio.channels", { n: channels });

/** Plays or pauses the clip that plays, else the first one of the card under the cursor or with the focus. */
export function togglePlayer() {
  const playing = [...document.querySelectorAll("audio")].find((player) => !player.paused);
  if (playing) return playing.pause();
  const card = document.querySelector("audio-card:hover") ?? document.querySelector("audio-card:focus-within");
  const cell = card?.querySelector(".cell:hover") ?? card?.querySelector(".cell:focus-within") ?? card;
  // Rejected if it is paused before it begins; the player itself shows a clip that cannot be played.
  const player = cell?.querySelector("audio");
  player?.play().catch(() => {});
}

customElements.define("audio-card", AudioCard);
