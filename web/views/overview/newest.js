// The newest point of the first tag of each kind of data of the run whose page is open.

import { computed, effect, signal } from "@preact/signals-core";
import { listTags } from "../../api/listings.js";
import { likelyMetrics } from "../../lib/metrics.js";
import { naturally } from "../../lib/tags.js";
import { runsByName } from "../../state/catalogue.js";
import { Listing } from "../../state/listing.js";
import { metrics } from "../../state/overview.js";
import { openRun } from "./settings.js";

/** `point` is null until it comes. @typedef {{tags: string[], tag: string, point: any}} Newest */

const KINDS = /** @type {const} */ ({ histogram: "histograms", image: "images", tensor: "tensors", text: "text" });
const PLUGINS = ["scalar", ...Object.keys(KINDS)];

/** Of the open run: its tags by plugin. @type {import("@preact/signals-core").Signal<{run: string, tags: Map<string, string[]>}>} */
const known = signal({ run: "", tags: new Map() });
/** By plugin. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Listing>>} */
const listings = signal(new Map());

/** @param {{run: string}} of @param {string} plugin @returns {Newest} */
export function newest({ run }, plugin) {
  const tags = known.value.run === run ? (known.value.tags.get(plugin) ?? []) : [];
  const listing = listings.value.get(plugin);
  const reply = tags.length && listing?.query?.run === run ? listing.reply.value : null;
  const points = reply?.[KINDS[/** @type {keyof typeof KINDS} */ (plugin)] === "text" ? "texts" : KINDS[/** @type {keyof typeof KINDS} */ (plugin)]] ?? [];
  return { tags, tag: tags[0] ?? "", point: points.at(-1) ?? null };
}

/** The metrics that the open run's page shows. */
export const runMetrics = computed(() => {
  const tags = known.value.run === openRun.value ? (known.value.tags.get("scalar") ?? []) : [];
  const chosen = metrics.value.filter((tag) => tags.includes(tag));
  return chosen.length ? chosen : likelyMetrics(tags.map((tag) => ({ tag, runs: 1 })), "", 2);
});

/** Follows the open run until the returned function is called. */
export function followNewest() {
  let fingerprint = "";
  /** @type {Array<() => void>} */
  let ends = [];
  const stop = () => ends.splice(0).forEach((end) => end());
  const end = effect(() => {
    const listed = runsByName.value.get(openRun.value);
    const of = listed ? JSON.stringify([listed.run, listed.plugins]) : "";
    if (of === fingerprint) return;
    fingerprint = of;
    if (listed) listTags(PLUGINS, [listed.run]).then((reply) => {
      if (of !== fingerprint) return;
      const tags = Map.groupBy(reply.tags.toSorted((a, b) => naturally(a.tag, b.tag)), (row) => row.plugin);
      stop();
      known.value = { run: listed.run, tags: new Map([...tags].map(([plugin, rows]) => [plugin, rows.map((row) => row.tag)])) };
      const found = Object.entries(KINDS).flatMap(([plugin, kind]) => {
        const tag = known.peek().tags.get(plugin)?.[0];
        return tag === undefined ? [] : [/** @type {[string, Listing]} */ ([plugin, new Listing(kind, { run: listed.run, tag, limit: 1 })])];
      });
      listings.value = new Map(found);
      ends = found.map(([, listing]) => listing.look());
    }, () => {}); // Tiles then say how many there are, without a picture.
  });
  return () => {
    end();
    stop();
    fingerprint = "";
  };
}
