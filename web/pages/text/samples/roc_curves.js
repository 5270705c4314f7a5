// ROC curves, from the rows of their table.

/** @typedef {import("./client.js").Samples} Samples */
/** The area is NaN if the class has all samples or none.
 * @typedef {{name: string, points: Array<[fpr: number, tpr: number]>, area: number}} Curve */

/** Whether a table is one of ROC curves. @param {string[]} columns */
export const isRoc = (columns) => columns.join() === "class,fpr,tpr";

/** @param {Samples["rows"]} rows @returns {Curve[]} */
export function curvesOf(rows) {
  /** @type {Map<string, Curve["points"]>} */
  const curves = new Map();
  for (const { cells } of rows) {
    const name = String(cells[0]);
    const points = curves.get(name) ?? [];
    points.push([number(cells[1]), number(cells[2])]);
    curves.set(name, points);
  }
  return [...curves].map(([name, points]) => ({ name, points, area: areaUnder(points) }));
}

/** @param {import("./client.js").Cell} cell */
const number = (cell) => (typeof cell === "number" ? cell : Number.NaN);

/** @param {Curve["points"]} points */
const areaUnder = (points) =>
  points.slice(1).reduce((area, [x, y], place) => area + ((x - points[place][0]) * (y + points[place][1])) / 2, 0);

/** The points as an SVG path in a square of 100, from the lower left; "" if one is not a number.
 * @param {Curve["points"]} points */
export const pathOf = (points) =>
  points.flat().every(Number.isFinite)
    ? `M${points.map(([x, y]) => `${round(100 * x)} ${round(100 - 100 * y)}`).join("L")}`
    : "";

/** @param {number} value */
const round = (value) => Math.round(100 * value) / 100;
