// The type of a table of elements: its fonts, and how wide texts are in them.

const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
export const FONT = `12px ${FAMILY}`;
export const LABEL_FONT = `11px ${FAMILY}`;
/** Space between a number and the edge of its cell. */
export const PADDING = 8;

/** How wide some texts are as cells or labels.
 * @param {string[]} texts @param {"cell" | "label"} kind */
export function widest(texts, kind) {
  measuring ??= /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  measuring.font = kind === "cell" ? FONT : LABEL_FONT;
  return (
    Math.max(0, ...texts.map((text) => /** @type {CanvasRenderingContext2D} */ (measuring).measureText(text).width)) +
    2 * PADDING
  );
}

/** @type {CanvasRenderingContext2D | null} */
let measuring = null;
