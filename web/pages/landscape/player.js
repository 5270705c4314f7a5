// Player controls of the training path: play, pause, step, speed.

import { effect } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { select } from "../../controls/choice.js";
import { LazyCard } from "../../controls/lazy_card.js";
import { indexAtOrBefore } from "../../controls/steps.js";
import { grouped } from "../../i18n/numbers.js";
import { choose, moment, SPEEDS, speed } from "./settings.js";
import { goTo, inSteps, isPlaying, momentRange, moments, playOrPause, step } from "./timeline.js";
import { t } from "./words.js";

const PLAY = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path class="solid"
  d="M4.5 2.5l9 5.5-9 5.5z"/></svg>`;
const PAUSE = html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path class="solid"
  d="M4 2.5h3v11H4zM9 2.5h3v11H9z"/></svg>`;

/** Renders separately from the page, since the moment changes every frame during playback. */
class LandscapePlayer extends LazyCard {
  begin() {
    return [effect(() => void render(player(), this))];
  }
}

function player() {
  if (!momentRange()) return nothing;
  const all = moments.value;
  const now = moment.value;
  const at = now === null ? all.length - 1 : Math.max(0, indexAtOrBefore(all, now));
  const text = inSteps.value
    ? t("step.at", { step: grouped(Math.round(now ?? all[at])) })
    : t("land.checkpoint_of", { n: at + 1, all: all.length });
  const label = t(isPlaying.value ? "land.pause" : "land.play");
  return html`<div class="land-player" role="group" aria-label=${t("land.player")} data-playing=${isPlaying.value}
    data-at=${now ?? ""}>
    <button class="quiet" data-key="play" title="${label} (p)" aria-label=${label}
      @click=${playOrPause}>${isPlaying.value ? PAUSE : PLAY}</button>
    <button class="quiet" data-key="path-back" title=${t("land.back")} aria-label=${t("land.back")} ?disabled=${at <= 0}
      @click=${() => step(-1)}>‹</button>
    <input type="range" min="0" max=${all.length - 1} step="1" .value=${String(at)} aria-label=${t("land.moment")}
      aria-valuetext=${text}
      @input=${(/** @type {Event} */ event) => goTo(Number(/** @type {HTMLInputElement} */ (event.target).value))}>
    <button class="quiet" data-key="path-forth" title=${t("land.forth")} aria-label=${t("land.forth")}
      ?disabled=${now === null} @click=${() => step(1)}>›</button>
    <output>${text}</output>
    ${select(
      "speed",
      t("land.speed"),
      SPEEDS.map((one) => [one, `${one}×`]),
      speed.value,
      choose("land.speed", "1"),
    )}
  </div>`;
}

customElements.define("landscape-player", LandscapePlayer);
