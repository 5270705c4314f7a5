// The columns of a table of runs as data, and the groups that neighbours form.

/** @template Row
 * @typedef {object} Column
 * @property {string} id
 * @property {string} group the title above neighbouring columns of the same group; "" = none
 * @property {string} label
 * @property {string} [title] of its heading, if the label does not say enough
 * @property {boolean} isNumber are its values aligned at the right?
 * @property {number} width in pixels
 * @property {(row: Row) => unknown} draw a cell
 * @property {(rows: readonly Row[]) => unknown} [drawGroup] the cell of a group of rows
 * @property {boolean} [downFirst] the first click sorts descending
 * @property {boolean} [isDrawing] cannot be sorted
 * @property {unknown} [action] a button of its heading
 */

/** A line of the table: a run, or a group of runs. A run may be in several groups; `of` = the key of its group.
 * @template Row
 * @typedef {{run: string, row: Row, of: string} | {group: RowGroup<Row>}} Line */
/** @template Row @typedef {{key: string, title: unknown, rows: readonly Row[], runs: readonly string[], isOpen: boolean}} RowGroup */

/** Is a column the first of its group, and has a line before it?
 * @param {readonly {group: string}[]} columns @param {number} at */
export const isFirst = (columns, at) => at > 0 && columns[at].group !== columns[at - 1].group;

/** Counts neighbouring columns of the same group. @param {readonly {group: string}[]} columns */
export function groupSpans(columns) {
  /** @type {{group: string, count: number}[]} */
  const spans = [];
  for (const { group } of columns) {
    const before = spans.at(-1);
    if (before?.group === group) before.count++;
    else spans.push({ group, count: 1 });
  }
  return spans;
}

/** The columns that overlap a range of pixels, as the first and the end. @param {readonly number[]} widths
 * @param {number} left @param {number} right @returns {[number, number]} */
export function columnsBetween(widths, left, right) {
  let at = 0;
  let [first, end] = [widths.length, 0];
  widths.forEach((width, index) => {
    if (at + width >= left && at <= right) [first, end] = [Math.min(first, index), index + 1];
    at += width;
  });
  return [Math.min(first, end), end];
}
