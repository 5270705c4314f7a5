// The newest points of the open run: of the first tags of each kind of data.

import { effect, signal } from "@preact/signals-core";
import { DIGITS } from "../../../controls/landscape_picture.js";
import { Query } from "../../../data/client/query.js";
import { stopAll } from "../../../data/client/stop_all.js";
import { runsByName } from "../../../data/runs/catalogue.js";
import { Listing } from "../../../data/tags/listing.js";
import { listTags } from "../../../data/tags/listing_client.js";
import { compareNatural } from "../../../data/text/natural_order.js";
import { openRun } from "../settings.js";

/** @typedef {{tag: string, point: any}} Newest */

/** Kinds that have thumbnails: the listing, the field of its points, the number of tags. */
const NEWEST = /** @type {const} */ ({
  histogram: { kind: "histograms", points: "histograms", most: 1 },
  pr_curves: { kind: "pr_curves", points: "curves", most: 1 },
  image: { kind: "images", points: "images", most: 4 },
  audio: { kind: "audio", points: "clips", most: 1 },
  tensor: { kind: "tensors", points: "tensors", most: 1 },
  text: { kind: "text", points: "texts", most: 1 },
  landscape: { kind: "landscapes", points: "landscapes", most: 2, digits: DIGITS },
});
/** @typedef {keyof typeof NEWEST} Kind */
export const KINDS = /** @type {Kind[]} */ (Object.keys(NEWEST));
const PLUGINS = ["scalar", ...KINDS];

/** The tags of a run, by plugin. @typedef {{run: string, tags: Map<string, string[]>}} TagList */

/** Of the open run. @type {Query<TagList>} */
const tagList = new Query(async (run, signal) => {
  const { tags } = await listTags(PLUGINS, [run], signal);
  const byPlugin = Map.groupBy(
    tags.toSorted((a, b) => compareNatural(a.tag, b.tag)),
    ({ plugin }) => plugin,
  );
  return { run, tags: new Map([...byPlugin].map(([plugin, rows]) => [plugin, rows.map(({ tag }) => tag)])) };
});
/** By plugin. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Listing[]>>} */
const listings = signal(new Map());

/** The tags of a plugin; none before they are listed. @param {{run: string}} of @param {string} plugin */
export const tagsOf = ({ run }, plugin) =>
  tagList.value.value?.run === run ? (tagList.value.value.tags.get(plugin) ?? []) : [];

/** Returns the newest points that are fetched. @param {{run: string}} of @param {Kind} plugin @returns {Newest[]} */
export function newest({ run }, plugin) {
  const ofRun = (listings.value.get(plugin) ?? []).filter(({ query }) => query?.run === run);
  return ofRun.flatMap(({ query, reply }) => {
    const point = reply.value?.[NEWEST[plugin].points].at(-1);
    return point ? [{ tag: query?.tag ?? "", point }] : [];
  });
}

/** Follows the open run until the returned function is called. */
export const followNewest = () =>
  stopAll([
    tagList.observe(() => {
      const row = runsByName.value.get(openRun.value);
      tagList.select(row ? row.run : null, JSON.stringify(row?.plugins));
    }),
    effect(() => {
      if (tagList.value.value) return observeNewest(tagList.value.value);
    }),
  ]);

/** Fetches the newest points of a run's first tags until the returned function is called. @param {TagList} list */
function observeNewest({ run, tags }) {
  const byPlugin = Object.entries(NEWEST).map(([plugin, { kind, most, ...options }]) => {
    const digits = "digits" in options ? options.digits : undefined;
    const first = (tags.get(plugin) ?? []).slice(0, most);
    return /** @type {[string, Listing[]]} */ ([
      plugin,
      first.map((tag) => new Listing(kind, { run, tag, limit: 1, digits })),
    ]);
  });
  listings.value = new Map(byPlugin);
  return stopAll(byPlugin.flatMap(([, of]) => of.map((listing) => listing.observe())));
}
