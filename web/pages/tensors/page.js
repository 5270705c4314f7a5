// The tensors page: a card for each tag, or one tensor from near.

import { effect } from "@preact/signals-core";
import { html } from "lit-html";
import { pluginContent } from "../../controls/tag_page.js";
import { detail } from "./detail.js";
import { followDifference } from "./difference_view.js";
import { draft, follow as followShown, slice, tags } from "./displayed_slice.js";
import { followHistogram } from "./histogram_view.js";
import { together } from "./series_steps.js";
import { tag, view } from "./settings.js";
import { followStatistics } from "./statistics_view.js";
import { t } from "./words.js";
import "./tensor_card.js";

export { ACTIONS, KEYS } from "./keys.js";
export { toolbar } from "./toolbar.js";

export const content = () => (tag.value ? detail() : list());

const list = () =>
  pluginContent(
    tags,
    t("empty.no_tensors"),
    (name, rows) => html`<tensor-card .tag=${name} .runs=${rows.map((row) => row.run)} data-tag=${name}></tensor-card>`,
  );

/** What only one of the views needs goes on only while that is shown. */
const VIEWS = { table: null, stats: followStatistics, hist: followHistogram, diff: followDifference };

export const follow = () =>
  together([
    followShown(),
    effect(() => (tag.value ? VIEWS[view.value]?.() : undefined)),
    // What was typed belongs to the tensor that was shown then.
    effect(() => {
      slice.value;
      draft.value = null;
    }),
  ]);
