// The scalar tags of the drawn runs: if only some runs are drawn, the cards of other tags would be empty.

import { computed, effect } from "@preact/signals-core";
import { runNames, runsByName } from "./catalogue.js";
import { PluginTags } from "./plugin_tags.js";
import { drawnRuns, groups } from "./runs.js";

/** Fetching a longer list would cost more than the empty cards. */
const MOST_SERIES = 20_000;

const series = new PluginTags("scalar");

const isPart = computed(() => {
  const drawn = drawnRuns.value;
  if (!drawn.length || drawn.length === runNames.value.length) return false;
  const count = drawn.reduce((sum, run) => sum + (runsByName.value.get(run)?.plugins.scalar ?? 0), 0);
  return count <= MOST_SERIES;
});

/** Groups of the tags that match the filter and that a drawn run has, as far as they are known. */
export const drawnGroups = computed(() => {
  if (!isPart.value || !series.rows.value || series.leftOut.value) return groups.value;
  const having = series.runsByTag.value;
  return groups.value
    .map(({ name, tags }) => ({ name, tags: tags.filter((tag) => having.has(tag)) }))
    .filter(({ tags }) => tags.length);
});

/** Fetches the tags of the drawn runs while only some are drawn. */
export const followDrawnTags = () => effect(() => (isPart.value ? series.follow() : undefined));
