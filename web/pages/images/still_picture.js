// A picture that does not flicker: the previous one stays until the next one is decoded. An animation that does not play
// is its first frame; one with 16 bits a channel, of which browsers decode eight, is drawn from its values.

import { decoded, release } from "./draw/decoding.js";
import { isCoarse } from "./model/images.js";
import { valueWindow } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./model/images.js").Picture} Picture */

class StillPicture extends HTMLElement {
  #requested = "";
  /** The drawn URL, or the one being loaded. */
  #shown = "";
  #plays = true;
  #animated = false;
  #deep = false;
  #truncated = false;
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
    const { url, width, height, animated, deep, truncated } = picture;
    this.#animated = animated;
    this.#deep = deep;
    this.#truncated = truncated;
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
    const [isDeep, isTruncated] = [this.#deep, this.#truncated];
    const next = isDeep ? await deepPicture(url) : await picture(url);
    this.dataset.drawn = next ? url : "";
    const [width, height] =
      next instanceof Image ? [next.naturalWidth, next.naturalHeight] : [next?.width, next?.height];
    this.dataset.size = next ? `${width}x${height}` : "";
    const drawn = next instanceof Image ? this.#drawn(next) : (next ?? t("image.broken"));
    const note = Object.assign(document.createElement("span"), {
      className: "meta",
      textContent: t("image.truncated"),
    });
    this.replaceChildren(drawn, ...(next && isTruncated ? [note] : []));
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

/** @param {string} url @returns {Promise<HTMLImageElement | null>} null = it cannot be decoded */
async function picture(url) {
  const next = new Image();
  next.src = url;
  return next.decode().then(
    () => next,
    () => null,
  );
}

/** @param {string} url @returns {Promise<HTMLCanvasElement | null>} null = it cannot be decoded */
async function deepPicture(url) {
  const result = await decoded(url, valueWindow.peek());
  const bitmap = result.levels?.[0];
  if (!bitmap) return null;
  const { width, height } = bitmap;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.setAttribute("role", "img");
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  release(result);
  return canvas;
}

customElements.define("still-picture", StillPicture);
