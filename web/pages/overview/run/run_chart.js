// The chart of one tag of a run, with the baseline's series: fetched and drawn while it is in or near the viewport.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { LazyCard } from "../../../controls/lazy_card.js";
import { followChart } from "../../../controls/lines/chart_view.js";
import { axisFor, plotOf } from "../../../controls/lines/line_plot.js";
import { readScalars } from "../../../data/client/client.js";
import { Query } from "../../../data/client/query.js";
import { RequestQueue } from "../../../data/client/requests.js";
import { baseline } from "../../../data/runs/baseline.js";
import { changes, versionOf } from "../../../data/runs/run_versions.js";
import { seriesOf } from "../../../data/series/series.js";
import { AUTOMATIC } from "../../../data/series/smoothing.js";
import { shortNumber } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { linkTo } from "./link.js";

/** @typedef {import("../../../data/series/series.js").Series} Series */
/** @typedef {import("../../../data/view/address.js").Window} Window */

const POINTS = 500;
/** The chart of a live run is fetched at most this often, in milliseconds. */
const INTERVAL = 500;
const queue = new RequestQueue(4);
/** @type {import("../../../data/series/card_series.js").Query} */
const QUERY = { axis: "step", smooth: AUTOMATIC, window: null, scale: "linear", rank: "", attempt: "", grouped: null };

class RunChart extends LazyCard {
  #run = signal("");
  #tag = signal("");
  #window = signal(/** @type {Window | null} */ (null));
  #y = signal(/** @type {Window | null} */ (null));
  /** @type {Query<{key: string, series: Series[]}>} */
  #query = new Query(fetchSeries, { queue, interval: INTERVAL });

  /** @param {{run: string, tag: string}} of */
  set of({ run, tag }) {
    if (run !== this.#run.peek() || tag !== this.#tag.peek()) this.#window.value = this.#y.value = null;
    this.#run.value = run;
    this.#tag.value = tag;
  }

  begin() {
    const runs = computed(() => [...new Set([this.#run.value, baseline.value])].filter(Boolean));
    const key = computed(() => JSON.stringify([this.#tag.value, runs.value, this.#window.value]));
    const series = computed(() => this.#query.value.value?.series ?? []);
    const plot = computed(() =>
      chartOf(this.#run.value, this.#tag.value, series.value, this.#window.value, this.#y.value),
    );
    return [
      this.#query.observe(() => {
        changes.value;
        this.#query.select(key.value, runs.value.map(versionOf).join());
      }),
      effect(() => void render(this.#frame(series.value), this)),
      followChart({
        host: () => this.querySelector(".plot"),
        plot: () => plot.value,
        query: () => QUERY,
        zoomed: (zoom) => this.#zoom(zoom),
        drawn: () => {
          this.dataset.drawnLines = String(plot.peek()?.lines.length ?? 0);
        },
      }),
    ];
  }

  /** @param {import("../../../data/view/address.js").Zoom | null} zoom */
  #zoom(zoom) {
    const { x, y } = zoom ?? { x: null, y: null };
    if (x !== undefined) this.#window.value = x;
    if (y !== undefined) this.#y.value = y;
  }

  /** @param {Series[]} series */
  #frame(series) {
    const [run, tag] = [this.#run.value, this.#tag.value];
    const last = series.find((each) => each.run === run)?.value.at(-1);
    return html`<h4>${linkTo(run, { page: "scalars", tags: "", open: tag }, tag, "open-tag")}
        ${last === undefined ? nothing : html`<span class="last">${shortNumber(last, 5)}</span>`}</h4>
      <div class="plot"></div>
      ${this.#query.error.value ? html`<p class="warning" role="alert">${t("run.failed", { reason: this.#query.error.value.message })}</p>` : nothing}`;
  }
}

/** @param {string} key @param {AbortSignal} signal */
async function fetchSeries(key, signal) {
  const [tag, run, window] = JSON.parse(key);
  const bounds = window && { lo: window[0], hi: window[1] };
  const reply = await readScalars(
    { tag: [tag], run, points: POINTS, axis: "step", smooth: AUTOMATIC, ...bounds },
    signal,
  );
  return { key, series: reply.series.map((each) => seriesOf(each)) };
}

/** @param {string} run @param {string} tag @param {Series[]} series of the run and the baseline
 * @param {Window | null} window @param {Window | null} y */
function chartOf(run, tag, series, window, y) {
  const own = series.filter((each) => each.run === run);
  /** @type {import("../../../controls/lines/line_plot.js").PlotSettings} */
  const settings = {
    axis: axisFor("step", tag, own),
    window,
    ...(y && { y }),
    log: false,
    logX: false,
    isSmooth: true,
    best: "off",
    isRobust: true,
    limits: [],
    rank: "",
  };
  const base = series.filter((each) => each.run !== run);
  return plotOf([{ tag, side: "left", series: own }], settings, { tag, side: "left", series: base });
}

customElements.define("run-chart", RunChart);
