// A picture that does not flicker: the previous one stays until the next one is decoded. An animation that does not play
// is its first frame.

import { isCoarse } from "./model/images.js";
import { t } from "./words.js";

/** @typedef {import("./model/images.js").Picture} Picture */

class StillPicture extends HTMLElement {
  #requested = "";
  /** The drawn URL, or the one being loaded. */
  #shown = "";
  #plays = true;
  #animated = false;
  label = "";

  /** Does an animation play? From the start, if it did not before. @param {boolean} plays */
  set plays(plays) {
    if (plays === this.#plays) return;
    this.#plays = plays;
    if (this.#animated) this.#shown = "";
    if (this.#animated && this.#requested && this.dataset.pending !== "true") void this.#load();
  }

  /** @param {Picture} picture */
  set picture(picture) {
    const { url, width, height, animated } = picture;
    this.#animated = animated;
    this.style.aspectRatio = width && height ? `${width} / ${height}` : "";
    this.classList.toggle("coarse", isCoarse(picture));
    this.#setAlt();
    this.dataset.picture = url;
    this.#requested = url;
    if (url !== this.#shown && this.dataset.pending !== "true") this.#load();
  }

  /** Loads one picture at a time. While a slider is dragged, intermediate pictures are skipped; the last one is
   * always drawn. */
  async #load() {
    this.dataset.pending = "true";
    while (this.#shown !== this.#requested) await this.#show((this.#shown = this.#requested));
    this.dataset.pending = "false";
  }

  /** @param {string} url */
  async #show(url) {
    const next = new Image();
    next.src = url;
    const isDrawn = await next.decode().then(
      () => true,
      () => false,
    );
    this.dataset.drawn = isDrawn ? url : "";
    this.dataset.size = isDrawn ? `${next.naturalWidth}x${next.naturalHeight}` : "";
    this.replaceChildren(isDrawn ? this.#drawn(next) : t("image.broken"));
    this.#setAlt();
  }

  /** @param {HTMLImageElement} image decoded */
  #drawn(image) {
    const isStopped = this.#animated && !this.#plays;
    this.dataset.playing = String(this.#animated && !isStopped);
    if (!isStopped) return image;
    const { naturalWidth: width, naturalHeight: height } = image;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.setAttribute("role", "img");
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return canvas;
  }

  #setAlt() {
    const drawn = this.firstElementChild;
    if (drawn instanceof HTMLImageElement) drawn.alt = this.label;
    else drawn?.setAttribute("aria-label", this.label);
  }
}

customElements.define("still-picture", StillPicture);
