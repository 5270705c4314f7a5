// The film strip: all steps of one series. A click shows a step; the + button adds it as a pane.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { grouped } from "../../i18n/numbers.js";
import { isCoarse } from "./model/images.js";
import { t } from "./words.js";

/** @typedef {import("./model/images.js").Moment} Moment */
/** @typedef {{run: string, index: number, letter: string, moment: Moment | undefined,
 * cell: import("../../controls/stepped_card.js").Cell<Moment>}} Shown */

/** @param {Shown} active pane whose series is shown @param {Shown[]} shown all panes; their letters mark their steps
 * @param {{show: (step: number) => void, add: (step: number) => void}} act */
export const filmStrip = (active, shown, act) => html`
  <ol class="film" aria-label=${t("image.film", { run: active.run })}>
    ${repeat(
      active.cell.moments.value,
      ({ step }) => step,
      (moment) => frame(moment, active, shown, act),
    )}
  </ol>`;

/** @param {Moment} moment @param {Shown} active @param {Shown[]} shown
 * @param {{show: (step: number) => void, add: (step: number) => void}} act */
function frame({ step, pictures }, active, shown, act) {
  const letters = shown
    .filter((pane) => pane.run === active.run && pane.moment?.step === step)
    .map((pane) => pane.letter);
  const picture = pictures[Math.min(active.index, pictures.length - 1)];
  const isCurrent = active.moment?.step === step;
  const marks = letters.length && shown.length > 1 ? letters.join(" ") : "";
  const text = `${t("step.at", { step: grouped(step) })} ${marks}`.trim();
  const clicked = (/** @type {MouseEvent} */ event) => (event.shiftKey ? act.add(step) : act.show(step));
  return html`
    <li data-step=${step} data-current=${isCurrent}>
      <button class="frame" aria-pressed=${isCurrent} aria-label=${text}
        title=${t("image.film_hint", { step: grouped(step) })} @click=${clicked}>
        <img class=${isCoarse(picture) ? "coarse" : ""} src=${picture.url} alt="" loading="lazy" decoding="async"
          width=${picture.width ?? 64} height=${picture.height ?? 64}>
        <span class="meta">${grouped(step)}</span>
        ${marks ? html`<b class="letter" aria-hidden="true">${marks}</b>` : ""}
      </button>
      <button class="beside" title=${t("image.add_step", { step: grouped(step) })}
        aria-label=${t("image.add_step", { step: grouped(step) })} @click=${() => act.add(step)}>+</button>
    </li>`;
}

/** Scrolls the strip only, until a frame that is not visible is at its centre.
 * @param {HTMLElement} frame */
export function scrollStripTo(frame) {
  const strip = /** @type {HTMLElement} */ (frame.parentElement);
  const [{ left, right }, around] = [frame.getBoundingClientRect(), strip.getBoundingClientRect()];
  if (left < around.left || right > around.right) strip.scrollLeft += (left + right - around.left - around.right) / 2;
}
