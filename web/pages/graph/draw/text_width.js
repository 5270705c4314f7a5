// How wide texts are, and texts cut to the room there is.

export const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Noto Sans CJK SC", sans-serif';

const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
/** @type {Map<string, number>} */
const known = new Map();
const MOST_KNOWN = 20_000;

/** @param {string} text @param {number} size @param {number} [weight] */
export function widthOf(text, size, weight = 400) {
  const key = `${weight} ${size} ${text}`;
  const width = known.get(key);
  if (width !== undefined) return width;
  context.font = `${weight} ${size}px ${FONT}`;
  const measured = context.measureText(text).width;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, measured);
  return measured;
}

/** The text, or as much of its beginning and end as there is room for.
 * @param {string} text @param {number} room @param {number} size @param {number} [weight] */
export function cut(text, room, size, weight) {
  if (widthOf(text, size, weight) <= room) return text;
  const signs = [...text.slice(0, 200)];
  let [least, most] = [1, signs.length];
  const shortened = (/** @type {number} */ kept) =>
    `${signs.slice(0, Math.ceil(kept * 0.6)).join("")}…${signs.slice(signs.length - Math.floor(kept * 0.4)).join("")}`;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (widthOf(shortened(middle), size, weight) <= room) least = middle;
    else most = middle - 1;
  }
  return shortened(least);
}
