// Tiles of a run's page: one per kind of data, with thumbnails of the newest points.

import { html, nothing, svg } from "lit-html";
import { ICONS } from "../../../controls/icons.js";
import { formatted } from "../../../controls/markdown/text_body.js";
import { pluginCounts } from "../../../controls/plugin_counts.js";
import { pageOf } from "../../../data/view/page_list.js";
import { view } from "../../../data/view/view.js";
import { grouped } from "../../../i18n/numbers.js";
import { colourOf } from "../cells.js";
import { t } from "../words.js";
import "./dataset_tile.js";
import "./graph_tile.js";
import { heightsOf, landscapePicture } from "../../../controls/landscape_picture.js";
import "./lineage_tile.js";
import "./undrawn_tiles.js";
import { linkTo } from "./link.js";
import { KINDS, newest, tagsOf } from "./newest.js";

/** @typedef {import("../../../data/client/api_types.js").RunRow} RunRow */

/** Plugins of computational graphs, and of lineage. */
const GRAPHS = ["graph", "graph_keras_model", "graph_run_metadata_graph"];
const LINEAGE = ["lineage", "hparams"];
const TAGS = 3;
/** Characters of a text in its tile. */
const MAX_TEXT = 200;

/** @param {RunRow} listed */
export const runTiles = (listed) => html`
  <div class="tiles">
    ${KINDS.map((plugin) => (listed.plugins[plugin] ? drawnTile(listed, plugin) : nothing))}
    ${sourceTiles(listed)}
  </div>
  <undrawn-tiles .run=${listed.run}></undrawn-tiles>`;

/** Graphs, dataset and lineage of a run. @param {RunRow} listed */
function sourceTiles({ run, plugins }) {
  const count = (/** @type {string[]} */ of) => of.reduce((sum, plugin) => sum + (plugins[plugin] ?? 0), 0);
  const graphs = count(GRAPHS);
  const { "graph.kind": _, ...own } = view.value.own;
  return html`
    ${
      graphs
        ? sourceTile(
            run,
            "graph",
            graphs,
            { page: "graph", own },
            t("plugin.graph", { n: graphs }),
            html`<graph-tile .run=${run}></graph-tile>`,
          )
        : nothing
    }
    ${
      plugins.dataset_graph
        ? sourceTile(
            run,
            "dataset_graph",
            1,
            { page: "graph", own: { ...own, "graph.kind": "dataset" } },
            t("run.dataset"),
            html`<dataset-tile .run=${run}></dataset-tile>`,
          )
        : nothing
    }
    ${
      count(LINEAGE)
        ? sourceTile(
            run,
            "lineage",
            count(LINEAGE),
            { page: "lineage" },
            t("page.lineage"),
            html`<lineage-tile .run=${run}></lineage-tile>`,
          )
        : nothing
    }`;
}

/** @param {string} run @param {string} name @param {number} count
 * @param {Partial<import("../../../data/view/address.js").View>} patch @param {string} title @param {unknown} content */
const sourceTile = (
  run,
  name,
  count,
  patch,
  title,
  content,
) => html`<section class="tile" data-tile=${name} data-count=${count}>
  <h3>${linkTo(run, patch, html`${title}${ICONS.chevron}`, `open-${name}`)}</h3>
  <div class="miniature">${content}</div></section>`;

/** @param {RunRow} listed @param {import("./newest.js").Kind} plugin */
function drawnTile(listed, plugin) {
  const { run } = listed;
  const drawn = newest(listed, plugin).map(({ tag }) => tag);
  const others = tagsOf(listed, plugin).filter((tag) => !drawn.includes(tag));
  const count = listed.plugins[plugin];
  return html`<section class="tile" data-tile=${plugin} data-count=${count}>
    <h3>${linkTo(
      run,
      { page: pageOf(plugin), tags: "" },
      html`${pluginCounts(listed, (name) => name === plugin)}${ICONS.chevron}`,
      `open-${plugin}`,
    )}</h3>
    <div class="miniature">${MINIATURES[plugin](newest(listed, plugin), run)}</div>
    <p class="meta" ?hidden=${!others.length}>${others.slice(0, TAGS).join(" · ")}${
      others.length > TAGS ? ` · ${t("run.more_tags", { n: others.length - TAGS })}` : ""
    }</p>
  </section>`;
}

/** @typedef {import("./newest.js").Newest} Newest */

/** @type {Record<import("./newest.js").Kind, (newest: Newest[], run: string) => unknown>} */
const MINIATURES = {
  histogram: (newest, run) => newest.map((entry) => figure(entry, bars(entry, run))),
  image: (newest) =>
    html`<div class="pictures"
      data-pictures=${newest.length}>${newest.map((entry) => figure(entry, picture(entry)))}</div>`,
  pr_curves: (newest, run) => newest.map((entry) => figure(entry, curve(entry, run))),
  audio: (newest) =>
    newest.map((entry) =>
      figure(
        entry,
        html`<audio controls preload="none" src=${entry.point.url} aria-label=${t("run.audio", { tag: entry.tag })}></audio>`,
      ),
    ),
  tensor: (newest) =>
    newest.map((entry) =>
      figure(entry, html`<code class="shape">${entry.point.dtype}[${entry.point.dims.join(", ")}]</code>`),
    ),
  text: (newest) =>
    newest.map((entry) =>
      figure(entry, html`<blockquote>${formatted(entry.point.text.slice(0, MAX_TEXT))}</blockquote>`),
    ),
  landscape: (newest) =>
    html`<div class="pictures"
      data-pictures=${newest.length}>${newest.map((entry) => figure(entry, landscape(entry.point)))}</div>`,
};

/** @param {Newest} newest @param {unknown} drawn */
function figure({ tag, point }, drawn) {
  const caption = t("run.newest", { tag, step: grouped(point.step) });
  return html`<figure title=${caption}>${drawn}<figcaption class="meta">${caption}</figcaption></figure>`;
}

const LANDSCAPE = 160;

/** @param {import("../../../data/kinds/landscapes.js").LandscapeReply} reply */
function landscape(reply) {
  const heights = reply.error === null ? heightsOf([reply]) : null;
  return heights
    ? landscapePicture(reply, heights, LANDSCAPE, LANDSCAPE * 0.7)
    : html`<p class="hint">${reply.error ?? t("run.landscape_empty")}</p>`;
}

/** @param {Newest} newest */
const picture = ({ tag, point }) =>
  html`<img src=${point.url} width=${point.width} height=${point.height} alt=${t("run.image", { tag })} decoding="async"
    loading="lazy">`;

/** Precision over recall. @param {Newest} newest @param {string} run */
function curve({ tag, point }, run) {
  const places = point.recall.map((/** @type {number} */ recall, /** @type {number} */ at) =>
    [recall * BARS_WIDTH, (1 - point.precision[at]) * BARS_HEIGHT].map((place) => place.toFixed(1)).join(" "),
  );
  const drawn = places.filter((/** @type {string} */ place) => !place.includes("NaN"));
  return html`<svg class="bars curve" viewBox="0 0 ${BARS_WIDTH} ${BARS_HEIGHT}" preserveAspectRatio="none" role="img"
    aria-label=${t("run.pr_curve", { tag })}><path d="M${drawn.join("L")}" stroke=${colourOf(run)}/></svg>`;
}

const BARS_WIDTH = 180;
const BARS_HEIGHT = 56;

/** @param {Newest} newest @param {string} run */
function bars({ tag, point }, run) {
  /** @type {[left: number, width: number, count: number][]} */
  const buckets = point.buckets;
  if (!buckets.length) return nothing;
  const low = buckets[0][0];
  const high = Math.max(...buckets.map(([left, width]) => left + width));
  const densest = Math.max(...buckets.map(([, width, count]) => count / (width || 1))) || 1;
  const x = (/** @type {number} */ value) =>
    high > low ? ((value - low) / (high - low)) * BARS_WIDTH : BARS_WIDTH / 2;
  const bar = (/** @type {[number, number, number]} */ [left, width, count]) => {
    const height = (count / (width || 1) / densest) * (BARS_HEIGHT - 1);
    return svg`<rect x=${x(left)} y=${BARS_HEIGHT - height} width=${Math.max(0.8, x(left + width) - x(left) - 0.4)}
      height=${height} />`;
  };
  return html`<svg class="bars" viewBox="0 0 ${BARS_WIDTH} ${BARS_HEIGHT}" style="fill:${colourOf(run)}" role="img"
    aria-label=${t("run.histogram", { tag })} data-buckets=${buckets.length}>${buckets.map(bar)}</svg>`;
}
