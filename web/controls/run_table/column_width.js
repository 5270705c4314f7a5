// The width of a column of a table: that of its values.

/** @type {CanvasRenderingContext2D | null} */
let context = null;
/** The best values are bold. */
const WEIGHT = 650;
/** Of a cell beside its text, and of a heading with the sign of its sorting. */
const CELL_PADDING = 22;
const HEAD_PADDING = 34;
const LEAST = 56;
/** Longer texts of cells and headings are cut; numbers never are. */
const MAX_TEXT = 220;
const MAX_HEAD = 150;

/** @param {string} text @returns {number} in pixels, in the font of the page */
function textWidth(text) {
  context ??= contextOfPage();
  return context.measureText(text).width;
}

function contextOfPage() {
  const made = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  const { fontSize, fontFamily } = getComputedStyle(document.documentElement);
  made.font = `${WEIGHT} ${fontSize} ${fontFamily}`;
  return made;
}

/** @param {string} head @param {Iterable<string>} texts of the cells @param {boolean} isNumber
 * @returns {number} in pixels */
export function columnWidth(head, texts, isNumber) {
  const longest = widest(texts) + CELL_PADDING;
  const ofHead = Math.min(MAX_HEAD, textWidth(head) + HEAD_PADDING);
  return Math.ceil(Math.max(LEAST, ofHead, isNumber ? longest : Math.min(MAX_TEXT, longest)));
}

/** Measuring costs more than comparing lengths: of texts of one length only the first is measured.
 * @param {Iterable<string>} texts */
function widest(texts) {
  /** @type {Map<number, string>} */
  const byLength = new Map();
  for (const text of texts) if (!byLength.has(text.length)) byLength.set(text.length, text);
  const longest = [...byLength.keys()].sort((a, b) => b - a).slice(0, MAX_MEASURED);
  return Math.max(0, ...longest.map((length) => textWidth(/** @type {string} */ (byLength.get(length)))));
}
const MAX_MEASURED = 3;
