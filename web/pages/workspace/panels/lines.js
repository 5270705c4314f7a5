// Line charts of tags, of tags that match patterns, and of expressions.

import { batch, computed, effect } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { keyOf } from "../../../charts/plot.js";
import { swatch } from "../../../controls/icons.js";
import { followChart } from "../../../controls/lines/chart_view.js";
import { axisFor, drawnSeries, plotOf, pointCounts } from "../../../controls/lines/line_plot.js";
import { shortNameOf } from "../../../controls/run_name.js";
import { DASHES } from "../../../data/colours/run_styles.js";
import { noteGroups } from "../../../data/groups/received_groups.js";
import { baseline } from "../../../data/runs/baseline.js";
import { scalarTags } from "../../../data/runs/catalogue.js";
import { axisStart, drawnRuns } from "../../../data/runs/runs.js";
import { setYRange, yRanges } from "../../../data/series/ranges.js";
import { xsOf } from "../../../data/series/series.js";
import { retryFeeds } from "../../../data/series/series_requests.js";
import { AUTOMATIC } from "../../../data/series/smoothing.js";
import { definedX } from "../../../data/series/step_metrics.js";
import { hoveredRun } from "../../../data/view/pointer.js";
import { change, zooms } from "../../../data/view/view.js";
import { grouped } from "../../../i18n/numbers.js";
import { lineSettings, withinRange } from "../model/line_settings.js";
import { sourcesOf } from "../model/line_sources.js";
import { marginsOf, valuesAt } from "../model/margins.js";
import { t } from "../words.js";
import { expressionError } from "./expression_error.js";
import { LineFeeds } from "./line_feeds.js";
import { PanelElement } from "./panel_element.js";

/** @typedef {import("../../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../../charts/plot.js").Line} Line */
/** @typedef {import("../../../data/view/address.js").Window} Window */

/** Lines of an automatic legend; names of any legend. */
const MAX_AUTOMATIC = 6;
const MAX_NAMES = 60;

class LinesPanel extends PanelElement {
  #feeds = new LineFeeds();
  /** @type {Plot | null} */
  plot = null;

  begin() {
    const chosen = computed(() => lineSettings(this.settings.value));
    const margins = computed(() => marginsOf(this.settings.value.margins));
    const found = computed(() => sourcesOf(chosen.value, scalarTags.value ?? []));
    const sources = computed(() => found.value.sources);
    const settings = computed(() => withDefinedAxis(chosen.value, this.settings.value.axis, sources.value));
    const edges = computed(() =>
      [...new Set(margins.value.flatMap(({ lower, upper }) => [lower, upper]))].map((name) => ({
        name,
        isExpression: false,
        side: /** @type {const} */ ("left"),
      })),
    );
    const parts = computed(() =>
      sources.value.map((source) => {
        const feed = this.#feeds.of(source);
        return { tag: source.name, side: source.side, feed, series: drawnSeries(feed) };
      }),
    );
    const axis = computed(() => {
      const [first] = parts.value;
      return first ? axisFor(settings.value.axis, first.tag, first.series) : settings.value.axis;
    });
    const query = computed(() => queryOf(settings.value, axis.value, zooms.value[this.zoom.value] ?? null));
    // The baseline, unless it is drawn as a run of its own.
    const baselineRun = computed(() =>
      settings.value.grouping || !drawnRuns.value.includes(baseline.value) ? baseline.value : "",
    );
    const baselinePart = computed(() => {
      const [first] = sources.value;
      if (!first || !baselineRun.value) return null;
      const feed = this.#feeds.baselineOf(first);
      feed.version.value;
      return { tag: first.name, side: first.side, feed, series: feed.series.get(baselineRun.value) ?? [] };
    });
    const plot = computed(() =>
      plotWithin(
        parts.value,
        withZoomedY(settings.value, yRanges.value.get(this.zoom.value)),
        axis.value,
        zooms.value[this.zoom.value] ?? null,
        margins.value,
        edges.value.map((source) => ({ tag: source.name, series: drawnSeries(this.#feeds.of(source)) })),
        baselinePart.value,
      ),
    );
    return [
      effect(() => {
        this.plot = plot.value;
        const { leftOut, errors } = found.value;
        render(
          frame(parts.value, plot.value, settings.value, { leftOut, errors, isZoomed: this.#isZoomed() }, this),
          this,
        );
      }),
      effect(() => {
        for (const { feed } of parts.value) noteGroups(feed);
      }),
      followChart({
        host: () => this.querySelector(".plot"),
        plot: () => plot.value,
        query: () => query.peek(),
        zoomed: (zoom) => this.zoomTo(zoom),
        drawn: () => this.#publish(plot.peek(), parts.peek()),
      }),
      this.#feeds.follow(
        () => [...sources.value, ...edges.value],
        () => query.value,
      ),
      this.#feeds.followBaseline(
        () => sources.value[0] ?? null,
        () => baselineRun.value,
        () => query.value,
      ),
    ];
  }

  drop() {
    super.drop();
    this.#feeds.drop();
  }

  #isZoomed() {
    return this.zoom.value in zooms.value || yRanges.value.has(this.zoom.value);
  }

  /** @param {import("../../../data/view/address.js").Zoom | null} zoom null = the whole of both axes */
  zoomTo(zoom) {
    const name = this.zoom.peek();
    const { x, y } = zoom ?? { x: null, y: /** @type {const} */ ([null, null]) };
    const { [name]: _, ...others } = zooms.peek();
    batch(() => {
      if (x !== undefined) change({ zooms: x ? { ...others, [name]: x } : others });
      if (y) setYRange(name, y);
    });
  }

  /** What is drawn, in short: benchmarks and tests wait for it.
   * @param {Plot | null} plot @param {import("../../../controls/lines/line_plot.js").Part[]} parts */
  #publish(plot, parts) {
    const lines = plot?.lines ?? [];
    Object.assign(this.dataset, {
      drawnLines: lines.length,
      drawnPoints: lines.reduce((sum, { xs }) => sum + xs.length, 0),
      axis: plot?.axis ?? "",
      pending: parts.some(({ feed }) => feed.pending.size),
    });
  }
}

/** @typedef {import("../model/line_settings.js").LineSettings} LineSettings */
/** @typedef {import("../../../charts/ticks.js").Axis} Axis */

/** @param {LineSettings} settings @param {Axis} axis @param {Window | null} zoom
 * @returns {import("../../../data/series/card_series.js").Query} */
function queryOf(settings, axis, zoom) {
  const { smooth, logX, x, join, rate, expressions, grouping } = settings;
  const [lo, hi] = settings.range.x;
  return {
    axis: axis === "value" ? "step" : axis,
    smooth: grouping && smooth === AUTOMATIC ? "" : smooth,
    window: zoom ?? (lo !== null && hi !== null ? [lo, hi] : null),
    scale: logX && axis !== "wall_time" ? "log" : "linear",
    rank: "",
    attempt: "",
    grouped: grouping && { how: grouping, runs: drawnRuns.value },
    ...(axis === "value" && { x, join }),
    ...(expressions.length && { join, rate }),
  };
}

/** @param {LineSettings} settings @param {import("../../../data/series/ranges.js").OpenRange} [y] to which the panel is zoomed
 * @returns {LineSettings} */
const withZoomedY = (settings, y) => (y ? { ...settings, range: { ...settings.range, y } } : settings);

/** The plot within the chosen ranges.
 * @param {import("../../../controls/lines/line_plot.js").Part[]} parts @param {LineSettings} settings
 * @param {Axis} axis @param {Window | null} zoom @param {import("../model/margins.js").Margin[]} margins
 * @param {EdgeSeries[]} edges
 * @param {import("../../../controls/lines/line_plot.js").TagSeries | null} baselinePart @returns {Plot | null} */
function plotWithin(
  parts,
  { range, log, logX, smooth, raw, colours, isRobust, grouping },
  axis,
  zoom,
  margins,
  edges,
  baselinePart,
) {
  const marginOf = (/** @type {Line} */ line) => marginAround(line, margins, edges, axis);
  const plot = plotOf(
    parts,
    {
      marginOf: margins.length ? marginOf : undefined,
      axis,
      window: zoom,
      y: range.y,
      log,
      logX: logX && axis !== "wall_time",
      isSmooth: smooth !== "",
      raw,
      best: "off",
      isRobust,
      limits: [],
      rank: "",
      byTag: colours === "tag",
      groupedBy: grouping?.by ?? "",
    },
    baselinePart,
  );
  if (!plot) return null;
  return { ...plot, x: zoom ?? withinRange(range.x, [plot.x[0], plot.x[1]]) };
}

/** @typedef {{tag: string, series: import("../../../data/series/series.js").Series[]}} EdgeSeries */

/** The area between two tags of the run of a line. @param {Line} line
 * @param {import("../model/margins.js").Margin[]} margins @param {EdgeSeries[]} edges @param {Axis} axis */
function marginAround({ tag, run, xs }, margins, edges, axis) {
  const margin = margins.find(({ value }) => value === tag);
  if (!margin) return undefined;
  const valuesOf = (/** @type {string} */ name) => {
    const series = edges.find((edge) => edge.tag === name)?.series.find((each) => each.run === run);
    const places = series && xsOf(series, axis, axisStart(run, axis));
    return series && places ? valuesAt({ xs: places, ys: series.value }, xs) : null;
  };
  const [low, high] = [valuesOf(margin.lower), valuesOf(margin.upper)];
  return low && high ? { low, high } : undefined;
}

/** Without a chosen axis, the one that a training defined for the tags.
 * @param {LineSettings} settings @param {unknown} axis the chosen one
 * @param {import("../model/line_sources.js").Source[]} sources @returns {LineSettings} */
function withDefinedAxis(settings, axis, sources) {
  const x = axis === undefined ? definedX(sources) : "";
  return x ? { ...settings, axis: "value", x } : settings;
}

/** @typedef {{leftOut: number, errors: string[], isZoomed: boolean}} Facts */

/** @param {import("../../../controls/lines/line_plot.js").Part[]} parts @param {Plot | null} plot
 * @param {LineSettings} settings @param {Facts} facts @param {LinesPanel} panel */
function frame(parts, plot, settings, { leftOut, errors, isZoomed }, panel) {
  const lines = plot?.lines ?? [];
  const isLegend =
    settings.legend === "on" || (settings.legend === "auto" && lines.length > 1 && lines.length <= MAX_AUTOMATIC);
  return html`
    ${how(settings, plot)}
    <div class="plot" role="img" aria-label=${t("ws.chart_of", { tags: parts.map(({ tag }) => tag).join(", "), n: lines.length })}></div>
    <div class="notes">
      ${isZoomed ? html`<button class="text" data-key="reset" @click=${() => panel.zoomTo(null)}>${t("ws.reset_zoom")}</button>` : nothing}
      ${leftOut ? html`<span data-note="left-out">${t("ws.left_out", { n: leftOut })}</span>` : nothing}
      ${pointNotes(parts, plot, settings)}
    </div>
    ${state(parts, lines, errors, settings.patterns.length > 0)}
    ${isLegend ? legend(lines) : nothing}`;
}

/** What the axis shows that its ticks do not, and how expressions were computed.
 * @param {LineSettings} settings @param {Plot | null} plot */
function how({ expressions, join, rate, x, grouping }, plot) {
  const notes = [
    grouping ? `${t(`ws.centre_${grouping.centre}`)}, ${t(`ws.band_${grouping.band}`)}` : "",
    plot?.axis === "value" ? `x: ${x}` : "",
    expressions.some((text) => /\brate\s*\(/.test(text)) ? t(`ws.rate_${rate}_note`) : "",
    expressions.length || x ? t(`ws.join_${join}_note`) : "",
  ].filter(Boolean);
  return notes.length ? html`<p class="panel-how">${notes.join(" · ")}</p>` : nothing;
}

/** @param {import("../../../controls/lines/line_plot.js").Part[]} parts @param {Plot | null} plot
 * @param {LineSettings} settings */
function pointNotes(parts, plot, { log }) {
  const { dropped, spikes } = pointCounts(
    parts.flatMap(({ series }) => series),
    plot,
    { log },
  );
  const clipped = spikes.above + spikes.below;
  return html`${dropped ? html`<span data-note="dropped">${t("ws.dropped", { n: grouped(dropped) })}</span>` : nothing}
    ${clipped ? html`<span data-note="spikes">${t("ws.spikes", { n: grouped(clipped) })}</span>` : nothing}`;
}

/** The reason why nothing is drawn, or what failed.
 * @param {import("../../../controls/lines/line_plot.js").Part[]} parts @param {Line[]} lines @param {string[]} errors
 * @param {boolean} isPattern whether a pattern selects tags */
function state(parts, lines, errors, isPattern) {
  const failed = parts.filter(({ feed }) => feed.error.value);
  if (failed.length || errors.length)
    return html`<div class=${lines.length ? "panel-problem" : "state error"} role="alert">
      ${errors.map((error) => html`<span>${error}</span>`)}
      ${failed.map(({ feed }) => (feed.isExpression ? expressionError(feed) : html`<span>${feed.error.value?.message}</span>`))}
      ${failed.length ? html`<button class="text" @click=${() => retryFeeds(failed.map(({ feed }) => feed))}>${t("card.retry")}</button>` : nothing}
    </div>`;
  if (lines.length) return nothing;
  if (!parts.length) return html`<div class="state">${t(isPattern ? "ws.no_match" : "ws.no_data_chosen")}</div>`;
  const isWaiting = parts.some(({ feed }) => !feed.fetched.size);
  return isWaiting ? html`<div class="state waiting"></div>` : html`<div class="state">${t("ws.no_points")}</div>`;
}

/** @param {Line[]} lines */
const legend = (lines) => html`<ul class="panel-legend" aria-label=${t("ws.legend")} tabindex="0">
  ${lines.slice(0, MAX_NAMES).map(
    (line) => html`<li data-line=${keyOf(line)} @mouseenter=${() => (hoveredRun.value = line.run)}
      @mouseleave=${() => (hoveredRun.value = null)}>${swatch(line.style, DASHES[line.style.dash])}<span
      title=${[line.run, ...(line.kin ?? [])].join(" · ")}>${[...(line.kin ?? []), nameOfLine(line)].join(" · ")}</span></li>`,
  )}
  ${lines.length > MAX_NAMES ? html`<li class="meta">${t("read.more", { n: grouped(lines.length - MAX_NAMES) })}</li>` : nothing}
</ul>`;

/** The run, or the group of a band. @param {Line} line */
const nameOfLine = ({ run, series }) => (!series.band ? shortNameOf(run) : run || t("read.all_runs"));

customElements.define("lines-panel", LinesPanel);
