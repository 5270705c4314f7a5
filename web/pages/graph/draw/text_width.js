// Measures text, and truncates it to a width.

export const FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Noto Sans CJK SC", sans-serif';

const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
/** @type {Map<string, number>} */
const widths = new Map();
const MAX_CACHED = 20_000;

/** @param {string} text @param {number} size @param {number} [weight] */
export function textWidth(text, size, weight = 400) {
  const key = `${weight} ${size} ${text}`;
  const width = widths.get(key);
  if (width !== undefined) return width;
  context.font = `${weight} ${size}px ${FONT}`;
  const measured = context.measureText(text).width;
  if (widths.size >= MAX_CACHED) widths.clear();
  widths.set(key, measured);
  return measured;
}

/** Truncates a text in the middle to fit a width in pixels.
 * @param {string} text @param {number} room @param {number} size @param {number} [weight] */
export function truncate(text, room, size, weight) {
  if (textWidth(text, size, weight) <= room) return text;
  const characters = [...text.slice(0, 200)];
  let [low, high] = [1, characters.length];
  const shortened = (/** @type {number} */ kept) => {
    const [start, end] = [Math.ceil(kept * 0.6), Math.floor(kept * 0.4)];
    return `${characters.slice(0, start).join("")}…${characters.slice(characters.length - end).join("")}`;
  };
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(shortened(middle), size, weight) <= room) low = middle;
    else high = middle - 1;
  }
  return shortened(low);
}
