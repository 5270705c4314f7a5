// The scalar tags of the drawn runs: if only some runs are drawn, the cards of other tags would be empty.

import { computed } from "@preact/signals-core";
import { Query } from "../client/query.js";
import { runNames, runsByName } from "../runs/catalogue.js";
import { drawnRuns, groups } from "../runs/runs.js";
import { listTagsTogether } from "./listing_client.js";

/** The tags that any of the listed runs has. @type {Query<ReadonlySet<string>>} */
const query = new Query(async (key, signal) => {
  const runs = JSON.parse(key);
  const { tags } = runs.length ? await listTagsTogether(["scalar"], runs, signal) : { tags: [] };
  return new Set(tags.map(({ tag }) => tag));
});

/** Are only some of the runs drawn? */
const isPart = computed(() => drawnRuns.value.length > 0 && drawnRuns.value.length < runNames.value.length);

/** Groups of the tags that match the filter and that a drawn run has, as far as they are known. */
export const drawnGroups = computed(() => {
  const having = query.value.value;
  if (!isPart.value || !having) return groups.value;
  return groups.value
    .map(({ name, tags }) => ({ name, tags: tags.filter((tag) => having.has(tag)) }))
    .filter(({ tags }) => tags.length);
});

/** Fetches the tags of the drawn runs while only some are drawn, and again when one of them has more. */
export const followDrawnTags = () =>
  query.observe(() => {
    if (!isPart.value) return query.select(null);
    const counted = drawnRuns.value.map((run) => [run, runsByName.value.get(run)?.plugins.scalar ?? 0]);
    const having = counted.filter(([, count]) => count);
    query.select(JSON.stringify(having.map(([run]) => run)), having.map(([, count]) => count).join());
  });
