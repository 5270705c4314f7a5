// The waveform and the spectrogram of a clip, with the place that is played; a click plays from there.

import { effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { tokens } from "../../charts/theme.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { styles } from "../../data/runs/runs.js";
import { theme } from "../../data/view/view.js";
import { drawSpectrogram, drawWaveform } from "./draw/clip_drawing.js";
import { soundOf } from "./draw/sounds.js";
import { rateText } from "./model/clips.js";
import { picture } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./draw/sounds.js").SoundResult} SoundResult */
/** @typedef {{url: string, rate: number, run: string, label: string}} Input */

/** Pixels of the waveform and of the spectrogram. */
const HEIGHTS = { wave: 48, spectrum: 96, both: 144 };
const WAVE_SHARE = { wave: 1, spectrum: 0, both: 1 / 3 };
/** Rates that browsers decode. */
const [LOWEST_RATE, HIGHEST_RATE] = [8000, 96_000];

class ClipPicture extends LazyCard {
  /** @type {import("@preact/signals-core").Signal<Input | null>} */
  #input = signal(null);
  /** @type {import("@preact/signals-core").Signal<SoundResult | null>} */
  #sound = signal(null);
  #failure = signal("");
  #width = signal(0);
  #frame = 0;

  /** @param {Input} input */
  set input(input) {
    const before = this.#input.peek();
    if (before?.url !== input.url || before.run !== input.run || before.label !== input.label)
      this.#input.value = input;
  }

  get #player() {
    return /** @type {HTMLAudioElement | null} */ (this.parentElement?.querySelector("audio") ?? null);
  }

  begin() {
    const resized = new ResizeObserver(() => (this.#width.value = this.clientWidth));
    resized.observe(this);
    const player = this.#player;
    const placed = () => this.#place();
    for (const name of TIMES) player?.addEventListener(name, placed);
    return [
      () => resized.disconnect(),
      () => {
        for (const name of TIMES) player?.removeEventListener(name, placed);
      },
      effect(() => this.#load()),
      effect(() => {
        render(this.#template(), this);
        this.#draw();
        this.#place();
      }),
    ];
  }

  /** Fetches the sound of the clip. */
  #load() {
    const input = this.#input.value;
    if (!input) return;
    const request = new AbortController();
    this.#sound.value = null;
    this.#failure.value = "";
    const rate = Math.min(HIGHEST_RATE, Math.max(LOWEST_RATE, input.rate));
    soundOf(input.url, rate, request.signal).then(
      (sound) => request.signal.aborted || (this.#sound.value = sound),
      (error) => request.signal.aborted || (this.#failure.value = /** @type {Error} */ (error).message),
    );
    return () => request.abort();
  }

  #template() {
    const { label = "" } = this.#input.value ?? {};
    const shown = picture.value;
    if (shown === "none") return nothing;
    const sound = this.#sound.value;
    return html`<div class="clip-picture" style="height:${HEIGHTS[shown]}px" @click=${this.#seek}>
      <canvas role="img" aria-label=${t("audio.picture", { label })}></canvas>
      ${shown === "wave" || !sound ? nothing : html`<span class="clip-top" style="top:${HEIGHTS[shown] * WAVE_SHARE[shown]}px">${rateText(sound.spectrogram.top)}</span>`}
      ${this.#failure.value ? html`<p class="cell-state">${t("audio.not_decoded")}</p>` : nothing}
      <i class="clip-place" hidden></i>
    </div>`;
  }

  #draw() {
    theme.value;
    const [sound, input, shown, width] = [this.#sound.value, this.#input.value, picture.value, this.#width.value];
    const canvas = this.querySelector("canvas");
    delete this.dataset.drawn;
    if (shown === "none" || !canvas || !width || !input) return;
    const ratio = devicePixelRatio || 1;
    const height = HEIGHTS[shown];
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d");
    if (!context || !sound) return;
    context.scale(ratio, ratio);
    const waveHeight = height * WAVE_SHARE[shown];
    const colour = tokens().palette[styles.value.get(input.run)?.colour ?? 0];
    if (waveHeight) drawWaveform(context, sound.waveform, { left: 0, top: 0, width, height: waveHeight }, colour);
    if (waveHeight < height)
      drawSpectrogram(context, sound.spectrogram, { left: 0, top: waveHeight, width, height: height - waveHeight });
    this.dataset.drawn = shown;
  }

  /** Marks what is played. */
  #place() {
    const mark = /** @type {HTMLElement | null} */ (this.querySelector(".clip-place"));
    const player = this.#player;
    if (!mark || !player) return;
    const share = player.currentTime / player.duration;
    mark.hidden = !(share > 0);
    mark.style.left = `${100 * Math.min(1, share || 0)}%`;
    if (player.paused || !this.isActive) return;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#place();
    });
  }

  /** @param {MouseEvent} event */
  #seek = ({ offsetX, currentTarget }) => {
    const player = this.#player;
    const { clientWidth } = /** @type {HTMLElement} */ (currentTarget);
    if (!player || !(player.duration > 0)) return;
    player.currentTime = (offsetX / clientWidth) * player.duration;
    player.play().catch(() => {}); // Rejected if it is paused before it begins.
  };
}

const TIMES = ["play", "pause", "seeked", "loadedmetadata", "timeupdate"];

customElements.define("clip-picture", ClipPicture);
