// A landscape as CSV: every point of the grid, every measured node, the path, and where the training converged.

/** @typedef {import("./landscape_reply.js").Landscape} Landscape */

/** @param {Landscape} landscape @returns {string} */
export function csvOf({ x, y, z, path, convergence, measured, truth }) {
  const rows = ["part,interval,step,x,y,loss,standard_error,plane_loss,residual"];
  y.forEach((down, row) => x.forEach((across, column) => void rows.push(`grid,,,${across},${down},${text(z[row * x.length + column])},,,`)));
  measured?.y.forEach((down, row) => measured.x.forEach((across, column) => {
    const at = row * measured.x.length + column;
    if (measured.known[at]) rows.push(`measured,,,${across},${down},${text(measured.z[at])},${text(measured.standardError[at])},,`);
  }));
  path?.x.forEach((across, at) => {
    const own = truth ? [truth.real[at], truth.standardError[at], truth.plane[at], truth.residual[at]].map(text) : [text(path.z[at]), "", "", ""];
    rows.push(`path,${path.intervals[at] ?? ""},${path.steps?.[at] ?? ""},${across},${path.y[at]},${own.join(",")}`);
  });
  if (convergence) rows.push(`convergence,,,${convergence.map(text).join(",")},,,`);
  return `${rows.join("\r\n")}\r\n`;
}

/** As the server writes what is not finite.
 * @param {number} value */
const text = (value) => String(value);
