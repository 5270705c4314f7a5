// One line chart in a host element: drawn when its plot changes, with crosshair, highlighted run and read-out.

import { effect } from "@preact/signals-core";
import { releaseChart, takeChart } from "../../charts/chart_pool.js";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { crosshair, hoveredRun } from "../../data/view/pointer.js";
import { theme } from "../../data/view/view.js";
import { axisName, ChartPointer } from "./pointer.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */

/** @typedef {object} ChartSource
 * @property {() => HTMLElement | null} host the element that contains the chart, with a size
 * @property {() => Plot | null} plot read in an effect
 * @property {() => import("../../data/series/card_series.js").Query} query under what the lines were requested
 * @property {(zoom: import("../../data/view/address.js").Zoom | null) => void} zoomed null = the whole of both axes
 * @property {() => void} [drawn]
 */

/** Draws until the returned function is called. @param {ChartSource} source */
export function followChart({ host, plot, query, zoomed, drawn = () => {} }) {
  /** @type {import("../../charts/line_chart.js").LineChart | null} */
  let chart = null;
  /** @type {ChartPointer | null} */
  let pointer = null;
  /** @type {Plot | null} */
  let shown = null;
  /** @type {HTMLElement | null} */
  let measured = null;
  const remove = () => {
    pointer?.leave();
    if (chart) releaseChart(chart);
    [chart, pointer] = [null, null];
  };
  const add = (/** @type {HTMLElement} */ into, /** @type {Plot} */ first) => {
    chart = takeChart(into, first, {
      zoomed,
      isBox: true,
      reset: () => zoomed(null),
      pointed: (at) => pointer?.moved(at),
    });
    pointer = new ChartPointer(chart, query);
    chart.layer?.highlightRun(hoveredRun.peek());
  };
  const draw = () => {
    const into = host();
    if (!shown || !into) remove();
    else if (chart) chart.draw(shown);
    else add(into, shown);
    pointer?.refresh();
    if (into && into !== measured) {
      if (measured) size.unobserve(measured);
      size.observe((measured = into));
    }
    drawn();
  };
  const fit = () => {
    const into = host();
    if (into?.clientWidth && into.clientHeight) chart?.resize(into.clientWidth, into.clientHeight);
  };
  const size = new ResizeObserver(() => scheduleDraw(fit));
  const ends = [
    effect(() => {
      shown = plot();
      theme.value;
      scheduleDraw(draw);
    }),
    effect(() => {
      const at = crosshair.value;
      const axis = shown && axisName(shown.axis, shown.axis === "value" ? query().x : "");
      chart?.showCrosshair(at?.axis === axis ? (at?.x ?? null) : null);
    }),
    effect(() => {
      const run = hoveredRun.value;
      chart?.layer?.highlightRun(run);
    }),
  ];
  return () => {
    for (const end of ends) end();
    cancelDraw(draw);
    cancelDraw(fit);
    size.disconnect();
    remove();
  };
}
