// The landscape page: up to three landscapes on one scale; next to them the loss curve, slices and provenance.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { runTitle } from "../../controls/card_parts.js";
import { select } from "../../controls/choice.js";
import { empty, loadingRuns, noneDrawn, noPlugin, noRuns, skeleton } from "../../controls/empty_state.js";
import { failedPart, retryButton } from "../../controls/failure.js";
import { pageKinds } from "../../controls/panel_kinds.js";
import { stopAll } from "../../data/client/stop_all.js";
import { runsReply } from "../../data/runs/catalogue.js";
import { downloads } from "./downloads.js";
import { failure, followLandscapes, isListed, keyOf, landscapes, listFailure, retry } from "./model/landscapes.js";
import { followScalars, lossTag, lossTags } from "./model/run_scalars.js";
import { checkpoints, facts } from "./provenance.js";
import { t } from "./words.js";
import "./landscape_pane.js";
import "./loss_curve.js";
import { hasSurface } from "./model/drawing.js";
import { panes } from "./panes.js";
import { planesNote } from "./planes_note.js";
import "./player.js";
import { choose, surfaceFailure } from "./settings.js";
import "./slices.js";
import { titleOf } from "./captions.js";
import { followTimeline, momentRange } from "./timeline.js";
import { toolbar } from "./toolbar.js";
import { trust } from "./trust.js";

export { ACTIONS, KEYS } from "./keys.js";
export { toolbar };

export function follow() {
  return stopAll([followLandscapes(), followScalars(), followTimeline()]);
}

export function content() {
  const emptyState = noRuns() ?? emptyPage();
  if (emptyState) return emptyState;
  return html`
    ${hasSurface.value ? surfaceNote() : nothing}
    ${planesNote()}
    <div class="landscapes" data-panes=${panes.value.length}>
      <div class="land-panes">${repeat(
        panes.value,
        ([{ choice }]) => keyOf(choice),
        ([{ choice, landscape }], place) =>
          html`<landscape-pane
            .input=${{
              choice,
              landscape,
              error: landscape ? null : failure.value,
              place,
              panes: panes.value.length,
            }}></landscape-pane>`,
      )}</div>
      ${side()}
    </div>
    ${failedPart(failure.value, retry)}
    ${downloads()}`;
}

function surfaceNote() {
  const missing = surfaceFailure.value;
  if (!missing) return nothing;
  return html`<p class="page-note" role="status" data-note="no_surface">${t(`land.no_surface_${missing}`)}
    ${missing === "webgl" ? nothing : retryButton(() => (surfaceFailure.value = ""))}</p>`;
}

/** Beside the landscapes: whether to trust them, the training, slices, and facts of each. */
function side() {
  const drawable = landscapes.value.flatMap(({ landscape }) => (landscape && !landscape.error ? [landscape] : []));
  const isOne = landscapes.value.length === 1;
  const name = (/** @type {typeof drawable[number]} */ { run, tag }) =>
    html`${runTitle(run)}<span class="meta">${titleOf(tag)}</span>`;
  return html`<aside class="land-side" aria-label=${t("land.side")}>
    ${
      drawable.length
        ? html`<section class="land-card" aria-label=${t("land.trust")}><h3>${t("land.trust")}</h3>
      ${repeat(
        drawable,
        keyOf,
        (landscape) => html`${isOne ? nothing : html`<h4>${name(landscape)}</h4>`}${trust(landscape)}`,
      )}</section>`
        : nothing
    }
    ${training()}
    ${
      drawable.length
        ? html`<section
          class="land-card"><h3>${t("land.slices")}</h3><landscape-slices></landscape-slices></section>`
        : nothing
    }
    ${drawable.map(
      (landscape) => html`<section class="land-card" data-facts-of=${landscape.run}>
      <h3>${isOne ? t("land.facts") : name(landscape)}</h3>${facts(landscape)}${checkpoints(landscape)}</section>`,
    )}
  </aside>`;
}

pageKinds.set("landscape", { prefix: "land", toolbar, content, follow });

function training() {
  const tags = lossTags.value;
  if (!tags.length && !momentRange()) return nothing;
  return html`<section class="land-card land-training">
    <h3>${t("land.training")}<span class="space"></span>${
      tags.length > 1
        ? select(
            "land-loss",
            t("land.loss_tag"),
            tags.map((tag) => [tag, tag]),
            lossTag.value,
            choose("land.loss", ""),
          )
        : html`<span class="meta">${tags[0] ?? ""}</span>`
    }</h3>
    <landscape-player></landscape-player>
    ${tags.length ? html`<landscape-loss></landscape-loss>` : html`<p class="meta">${t("land.no_loss")}</p>`}
  </section>`;
}

function emptyPage() {
  if (landscapes.value.length) return null;
  if (listFailure.value) return empty("failed", t("empty.failed"), listFailure.value.message);
  if (!isListed.value) return skeleton();
  if (runsReply.value?.loading) return loadingRuns();
  const has = runsReply.value?.runs.some((row) => row.plugins.landscape);
  if (has) return noneDrawn();
  return noPlugin(t("empty.no_landscapes"));
}
