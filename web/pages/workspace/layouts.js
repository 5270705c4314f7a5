// The custom-scalar layouts that TensorBoard's writers recorded, as workspaces.

import { computed } from "@preact/signals-core";
import { fetchJson } from "../../data/client/client.js";
import { Query } from "../../data/client/query.js";
import { runs } from "../../data/runs/catalogue.js";

/** @type {Query<import("../../data/client/api_types.js").LayoutList>} */
const query = new Query((_key, signal) => fetchJson("layouts", { signal }), { interval: 10_000 });

export const layouts = computed(() => query.value.value?.layouts ?? []);

/** Why some are missing. */
export const layoutProblems = computed(() => query.value.value?.problems ?? []);

/** The runs that have a layout. */
const having = computed(() =>
  runs.value.flatMap(({ run, plugins }) => (plugins.custom_scalars ? [run] : [])).join("\n"),
);

/** Fetches them until the returned function is called. */
export const followLayouts = () => query.observe(() => query.select(having.value ? "layouts" : null, having.value));
