// A sparkline as SVG path data.

/** @typedef {import("../../data/runs/run_table_client.js").SparklinePoints} SparklinePoints */

/** @param {SparklinePoints} points @param {number} width
 * @param {number} height including half the line width on each side */
export function sparkline({ step, value }, width, height) {
  const first = step[0];
  const span = step[step.length - 1] - first;
  let low = Infinity;
  let high = -Infinity;
  for (const y of value) {
    if (y < low) low = y;
    if (y > high) high = y;
  }
  const x = (/** @type {number} */ at) => (span ? 1 + ((step[at] - first) / span) * (width - 2) : width / 2);
  const y = (/** @type {number} */ at) =>
    high > low ? height - 1.5 - ((value[at] - low) / (high - low)) * (height - 3) : height / 2;
  const points = value.map((_, at) => `${x(at).toFixed(1)} ${y(at).toFixed(1)}`);
  const end = points.at(-1) ?? "";
  return { path: points.length === 1 ? `M${points[0]}h.01` : `M${points.join("L")}`, end: end.split(" ").map(Number) };
}
