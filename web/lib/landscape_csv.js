// A landscape as CSV: every point of the grid, of the path, and where the training converged.

/** @typedef {import("../state/landscapes.js").Landscape} Landscape */

/** @param {Landscape} landscape @returns {string} */
export function csvOf({ x, y, z, path, convergence }) {
  const rows = ["part,interval,step,x,y,loss"];
  y.forEach((down, row) => x.forEach((across, column) => void rows.push(`grid,,,${across},${down},${text(z[row * x.length + column])}`)));
  path?.x.forEach((across, at) => void rows.push(`path,${path.intervals[at] ?? ""},${path.steps?.[at] ?? ""},${across},${path.y[at]},${text(path.z[at])}`));
  if (convergence) rows.push(`convergence,,,${convergence.map(text).join(",")}`);
  return `${rows.join("\r\n")}\r\n`;
}

/** As the server writes what is not finite.
 * @param {number} value */
const text = (value) => String(value);
