// Reuses the charts of cards that left the viewport: a new chart costs several times as much, and leaks canvases.

import { LineChart } from "./line_chart.js";

/** @typedef {import("./plot.js").Plot} Plot */
/** @typedef {import("./line_chart.js").ChartListener} ChartListener */

const MOST = 24;

/** @type {LineChart[]} */
const spare = [];

/** @param {HTMLElement} host @param {Plot} plot @param {ChartListener} listener @returns {LineChart} */
export function takeChart(host, plot, listener) {
  const chart = spare.pop();
  if (!chart) return new LineChart(host, plot, listener);
  chart.moveTo(host, plot, listener);
  return chart;
}

/** @param {LineChart} chart */
export function releaseChart(chart) {
  if (spare.length >= MOST) return chart.destroy();
  chart.leave();
  spare.push(chart);
}
