// Charts of cards that left the sight, for those that come: a new one costs several times as much, and leaves canvases behind.

import { LineChart } from "../../../charts/line_chart.js";

/** @typedef {import("../../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../../charts/line_chart.js").ChartListener} ChartListener */

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
export function giveBack(chart) {
  if (spare.length >= MOST) return chart.destroy();
  chart.leave();
  spare.push(chart);
}
