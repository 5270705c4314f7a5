// The newest points of the first tags of each kind of data of the run whose page is open.

import { computed, effect, signal } from "@preact/signals-core";
import { DIGITS } from "../../controls/landscape_picture.js";
import { runsByName } from "../../data/catalogue.js";
import { Listing } from "../../data/listing.js";
import { listTags } from "../../data/listings.js";
import { likelyMetrics } from "../../data/metrics.js";
import { naturally } from "../../data/natural_order.js";
import { metrics } from "../../data/run_table.js";
import { openRun } from "./settings.js";

/** @typedef {{tag: string, point: any}} Newest */

/** Kinds that are drawn in small: what the server calls them, what its reply calls the points, of how many tags. */
const KINDS = /** @type {const} */ ({
  histogram: { kind: "histograms", points: "histograms", most: 1 },
  image: { kind: "images", points: "images", most: 4 },
  tensor: { kind: "tensors", points: "tensors", most: 1 },
  text: { kind: "text", points: "texts", most: 1 },
  landscape: { kind: "landscapes", points: "landscapes", most: 2, digits: DIGITS },
});
/** @typedef {keyof typeof KINDS} Kind */
const PLUGINS = ["scalar", ...Object.keys(KINDS)];

/** Of the open run: its tags by plugin. @type {import("@preact/signals-core").Signal<{run: string, tags: Map<string, string[]>}>} */
const known = signal({ run: "", tags: new Map() });
/** By plugin. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Listing[]>>} */
const listings = signal(new Map());

/** The tags of a plugin, none before they are told. @param {{run: string}} of @param {string} plugin */
export const tagsOf = ({ run }, plugin) => (known.value.run === run ? (known.value.tags.get(plugin) ?? []) : []);

/** The newest points that have come. @param {{run: string}} of @param {Kind} plugin @returns {Newest[]} */
export function newest({ run }, plugin) {
  const asked = (listings.value.get(plugin) ?? []).filter(({ query }) => query?.run === run);
  return asked.flatMap(({ query, reply }) => {
    const point = reply.value?.[KINDS[plugin].points].at(-1);
    return point ? [{ tag: query?.tag ?? "", point }] : [];
  });
}

/** The metrics that the open run's page shows. */
export const runMetrics = computed(() => {
  const tags = tagsOf({ run: openRun.value }, "scalar");
  const chosen = metrics.value.filter((tag) => tags.includes(tag));
  return chosen.length
    ? chosen
    : likelyMetrics(
        tags.map((tag) => ({ tag, runs: 1 })),
        "",
        2,
      );
});

/** Follows the open run until the returned function is called. */
export function followNewest() {
  let fingerprint = "";
  let request = new AbortController();
  /** @type {Array<() => void>} */
  let ends = [];
  const stop = () => {
    request.abort();
    ends.splice(0).forEach((end) => end());
  };
  const end = effect(() => {
    const listed = runsByName.value.get(openRun.value);
    const of = listed ? JSON.stringify([listed.run, listed.plugins]) : "";
    if (of === fingerprint) return;
    fingerprint = of;
    stop();
    if (!listed) return;
    request = new AbortController();
    listTags(PLUGINS, [listed.run], request.signal).then(
      ({ tags }) => (ends = look(listed.run, tags)),
      () => (fingerprint = ""), // Tiles then say how many there are, without a picture, until the list of runs comes again.
    );
  });
  return () => {
    end();
    stop();
  };
}

/** Begins to look at what is shown of a run; returns what ends it.
 * @param {string} run @param {{plugin: string, tag: string}[]} rows */
function look(run, rows) {
  const byPlugin = Map.groupBy(
    rows.toSorted((a, b) => naturally(a.tag, b.tag)),
    (row) => row.plugin,
  );
  known.value = { run, tags: new Map([...byPlugin].map(([plugin, of]) => [plugin, of.map((row) => row.tag)])) };
  const shown = Object.entries(KINDS).map(([plugin, of]) => {
    const tags = tagsOf({ run }, plugin).slice(0, of.most);
    return /** @type {[string, Listing[]]} */ ([
      plugin,
      tags.map((tag) => new Listing(of.kind, { run, tag, limit: 1, digits: "digits" in of ? of.digits : undefined })),
    ]);
  });
  listings.value = new Map(shown);
  return shown.flatMap(([, of]) => of.map((listing) => listing.look()));
}
