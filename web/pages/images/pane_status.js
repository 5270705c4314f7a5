// The status line of a pane: size, scale, difference statistics, and the pixel under the pointer.

import { html, nothing } from "lit-html";
import { shortNumber } from "../../i18n/numbers.js";
import { fitScale } from "./model/camera.js";
import { t } from "./words.js";

/** @typedef {import("./draw/image_worker.js").DecodeResult} DecodeResult */
/** `values` are those of a picture with 16 bits a channel. @typedef {{x: number, y: number, colour: number[], values?: number[]}} Pixel */

/** @param {DecodeResult | null} shown @param {import("./model/camera.js").Size} frame @param {number} zoom
 * @param {Pixel | null} pixel */
export function paneStatus(shown, frame, zoom, pixel) {
  if (!shown?.levels) return problem(shown);
  const {
    statistics,
    levels: [picture],
  } = shown;
  const percent = Math.round(100 * fitScale(frame, picture) * zoom);
  return html`
    <span>${picture.width} × ${picture.height} · ${percent}%</span>
    ${
      statistics
        ? html`<span>${t("image.statistics", {
            mean: shortNumber(statistics.mean),
            largest: statistics.largest,
            share: shortNumber(100 * statistics.differing),
          })}</span>`
        : nothing
    }
    ${
      pixel
        ? html`<span class="pixel">${t("image.pixel", { x: pixel.x, y: pixel.y })} ${
            statistics ? html`<b>Δ ${(pixel.values ?? pixel.colour).slice(0, 3).join(" ")}</b>` : colourOf(pixel)
          }</span>`
        : nothing
    }`;
}

/** The reason why there is no picture.
 * @param {DecodeResult | null} shown */
function problem(shown) {
  if (shown?.sizes) {
    const [one, other] = shown.sizes.map(({ width, height }) => `${width} × ${height}`);
    return html`<p class="cell-state" data-state="sizes">${t("image.sizes", { one, other })}</p>`;
  }
  return shown?.failed ? html`<p class="cell-state error" data-state="broken">${t("image.broken")}</p>` : nothing;
}

/** @param {Pixel} pixel */
const colourOf = ({ colour: [red, green, blue, opacity], values }) => html`
  <i class="colour" style="background:rgb(${red} ${green} ${blue} / ${opacity / 255})"></i><b>${
    values ? values.join(" ") : `${red} ${green} ${blue}${opacity < 255 ? ` / ${opacity}` : ""}`
  }</b>`;
