// The tensors page: a card for each tag, or one tensor in detail.

import { effect } from "@preact/signals-core";
import { html } from "lit-html";
import { pageKinds } from "../../controls/panel_kinds.js";
import { pluginContent } from "../../controls/tag_page.js";
import { detail } from "./detail.js";
import { followDifference } from "./difference_view.js";
import { follow as followShown, invalidInput, slice, tags } from "./displayed_slice.js";
import { followHistogram } from "./histogram_view.js";
import { disposeAll } from "./series_steps.js";
import { tag, view } from "./settings.js";
import { followStatistics } from "./statistics_view.js";
import { toolbar } from "./toolbar.js";
import { t } from "./words.js";
import "./tensor_card.js";

export { ACTIONS, KEYS } from "./keys.js";
export { toolbar };

export const content = () => (tag.value ? detail() : tagList());

const tagList = () =>
  pluginContent(
    tags,
    t("empty.no_tensors"),
    (name, rows) => html`<tensor-card .tag=${name} .runs=${rows.map((row) => row.run)} data-tag=${name}></tensor-card>`,
  );

/** Effects that run only while their view is shown. */
const VIEWS = { table: null, stats: followStatistics, hist: followHistogram, diff: followDifference };

export const follow = () =>
  disposeAll([
    followShown(),
    effect(() => (tag.value ? VIEWS[view.value]?.() : undefined)),
    // Invalid input belongs to the previous slice.
    effect(() => {
      slice.value;
      invalidInput.value = null;
    }),
  ]);

pageKinds.set("tensors", { prefix: "tensor", toolbar, content, follow });
