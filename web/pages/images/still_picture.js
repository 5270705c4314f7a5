// A picture that does not flicker: the previous one stays until the next one is decoded.

import { isCoarse } from "./model/images.js";
import { t } from "./words.js";

/** @typedef {import("./model/images.js").Picture} Picture */

class StillPicture extends HTMLElement {
  #requested = "";
  /** The drawn URL, or the one being loaded. */
  #shown = "";
  label = "";

  /** @param {Picture} picture */
  set picture(picture) {
    const { url, width, height } = picture;
    this.style.aspectRatio = width && height ? `${width} / ${height}` : "";
    this.classList.toggle("coarse", isCoarse(picture));
    this.#setAlt();
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
    this.replaceChildren(isDrawn ? next : t("image.broken"));
    this.#setAlt();
  }

  #setAlt() {
    const image = this.querySelector("img");
    if (image) image.alt = this.label;
  }
}

customElements.define("still-picture", StillPicture);
