// The small image of a point: a part of the sprite.

import { html, nothing } from "lit-html";

/** @param {import("./client.js").Sprite | null | undefined} sprite @param {number} row of the point
 * @param {number} most pixels of a side */
export function thumbnail(sprite, row, most) {
  if (!sprite) return nothing;
  const { url, image_width: width, image_height: height } = sprite;
  const scale = most / Math.max(width, height);
  const across = Math.floor(sprite.width / width);
  const [left, top] = [(row % across) * width * scale, Math.floor(row / across) * height * scale];
  const style = [
    `width:${width * scale}px`,
    `height:${height * scale}px`,
    `background-size:${sprite.width * scale}px ${sprite.height * scale}px`,
    `background-position:-${left}px -${top}px`,
    `background-image:url("${url.replaceAll('"', "%22")}")`,
  ].join(";");
  return html`<span class="emb-thumbnail" style=${style} aria-hidden="true"></span>`;
}
