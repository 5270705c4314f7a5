// The fonts of a table of elements, and text measurement.

const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
export const FONT = `12px ${FAMILY}`;
export const LABEL_FONT = `11px ${FAMILY}`;
/** Pixels between a number and the edge of its cell. */
export const PADDING = 8;

/** The width of the widest of some texts as cells or labels, with padding.
 * @param {string[]} texts @param {"cell" | "label"} kind */
export function maxTextWidth(texts, kind) {
  context ??= /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  context.font = kind === "cell" ? FONT : LABEL_FONT;
  return (
    Math.max(0, ...texts.map((text) => /** @type {CanvasRenderingContext2D} */ (context).measureText(text).width)) +
    2 * PADDING
  );
}

/** @type {CanvasRenderingContext2D | null} */
let context = null;
