// A picture that never flickers: the one before stays until the next has come and is decoded.

import { isCoarse } from "./model/images.js";
import { t } from "./words.js";

/** @typedef {import("./model/images.js").Picture} Picture */

class StillPicture extends HTMLElement {
  #wanted = "";
  /** What is drawn, or on its way. */
  #shown = "";
  label = "";

  /** @param {Picture} picture */
  set picture(picture) {
    const { url, width, height } = picture;
    this.style.aspectRatio = width && height ? `${width} / ${height}` : "";
    this.classList.toggle("coarse", isCoarse(picture));
    this.#name();
    this.#wanted = url;
    if (url !== this.#shown && this.dataset.pending !== "true") this.#load();
  }

  /** One after the other: whoever drags a slider sees those that there is time for, the last one always. */
  async #load() {
    this.dataset.pending = "true";
    while (this.#shown !== this.#wanted) await this.#show((this.#shown = this.#wanted));
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
    this.#name();
  }

  #name() {
    const image = this.querySelector("img");
    if (image) image.alt = this.label;
  }
}

customElements.define("still-picture", StillPicture);
