// The frame of a pane: title, buttons, and notes needed to interpret the drawing.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { runTitle } from "../../controls/card_parts.js";
import { failedCell } from "../../controls/failure.js";
import { ICONS } from "../../controls/icons.js";
import { nameOf } from "../../controls/run_name.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { summary, titleOf } from "./captions.js";
import { openDownloads } from "./downloads.js";
import { countAboveRoom } from "./draw/surface_scene.js";
import { hasMap, hasSurface, heights, topText } from "./model/drawing.js";
import { keyOf, removeLandscape } from "./model/landscapes.js";
import { isLine } from "./model/plane.js";
import { levelMeter, pathPicker, whichPublication } from "./pane_controls.js";
import { camera, scale, surfaceFailure, surfacePane, view, zoom, zooms } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./landscape_pane.js").LandscapePane} LandscapePane */
/** @typedef {import("./landscape_pane.js").PaneInput} PaneInput */
/** @typedef {import("./model/drawing.js").Model} Model */

/** @param {LandscapePane} pane @param {PaneInput} input @param {Model | null} drawn
 * @param {import("./panes.js").Trajectory[]} trajectories @param {boolean} isSurface */
export function paneFrame(pane, input, drawn, trajectories, isSurface) {
  const { choice, landscape, error, place: at, panes } = input;
  const label = t("land.picture", { title: titleOf(choice.tag) });
  const isMapped = hasMap.value || !isSurface;
  return html`
    <header>
      <h2>${runTitle(choice.run)}${repeat(
        trajectories.slice(1),
        ({ landscape: other }) => keyOf(other),
        ({ landscape: other }) => otherRun(other),
      )}<span class="land-title" title=${choice.tag}>${titleOf(choice.tag)}</span></h2>
      ${landscape ? levelMeter(landscape) : nothing}${landscape && at === 0 ? whichPublication(landscape) : nothing}
      <span class="space"></span>
      ${
        hasSurface.value && panes > 1 && drawn && !isSurface && !surfaceFailure.value
          ? html`<button class="plain" data-key="raise"
            @click=${() => (surfacePane.value = at)}>${t("land.raise")}</button>`
          : nothing
      }
      ${landscape && drawn && at === 0 ? pathPicker(landscape) : nothing}
      <div class="actions">
        ${
          isSurface && camera.value
            ? html`<button class="quiet" data-key="camera-reset" title=${t("land.camera_reset")}
              aria-label=${t("land.camera_reset")} @click=${() => pane.resetCamera()}>${ICONS.reset}</button>`
            : nothing
        }
        ${
          isMapped && zooms.value[at]
            ? html`<button class="quiet" data-key="reset" title=${t("land.zoom_reset")}
              aria-label=${t("land.zoom_reset")} @click=${() => zoom(at, null)}>${ICONS.reset}</button>`
            : nothing
        }
        ${
          drawn
            ? html`<button class="quiet" data-key="download" aria-haspopup="dialog" title=${t("land.download")}
              aria-label=${t("land.download")}
              @click=${(/** @type {MouseEvent} */ event) => openDownloads(pane, event)}>${ICONS.csv}</button>`
            : nothing
        }
        <button class="quiet" data-key="full" title=${t("land.full")} aria-label=${t("land.full")}
          @click=${() => fullScreen(pane)}>${ICONS.enlarge}</button>
        ${
          panes > 1 || trajectories.length > 1
            ? html`<button class="quiet" data-key="leave-out" title=${t("land.remove")}
              aria-label=${t("land.remove")} @click=${() => removeLandscape(choice)}>${ICONS.close}</button>`
            : nothing
        }
      </div>
    </header>
    ${
      drawn || !landscape
        ? html`<div class="land-plot" role="application" tabindex=${drawn ? 0 : -1}
          aria-roledescription=${t("land.map")} aria-label=${
            drawn ? `${label}. ${summary(drawn, trajectories)}` : label
          }
          data-parts=${isSurface ? view.value : "map"}
          @keydown=${(/** @type {KeyboardEvent} */ event) =>
            isMapped ? pane.pointer.pressed(event) : pane.rotate(event)} @blur=${() => pane.pointer.leave()}>
          <div class="land-map" ?hidden=${!isMapped}
            @pointermove=${(/** @type {PointerEvent} */ event) => pane.pointer.moved(event)}
            @pointerdown=${(/** @type {PointerEvent} */ event) => pane.pointer.down(event)}
            @pointerup=${(/** @type {PointerEvent} */ event) => pane.pointer.up(event)}
            @pointerleave=${() => pane.pointer.leave()} @dblclick=${() => zoom(at, null)}></div>
          <div class="land-surface" ?hidden=${!isSurface}></div>
          ${isSurface ? html`<p class="surface-wait" role="status">${t("land.surface_wait")}</p>` : nothing}${trajectories.map(
            (_, which) => html`<i class="land-head" data-which=${which} hidden></i>`,
          )}<i class="land-spot" hidden></i>
          <div class="land-cross" hidden></div><div class="land-box" hidden></div>
          ${drawn ? nothing : error ? failedCell(error) : html`<div class="bone cell-bone" data-state="waiting"></div>`}
        </div>`
        : html`<p class="cell-state error" role="alert"
          data-note="error">${
            landscape.error ? t("land.unreadable", { reason: landscape.error }) : t("land.nothing_finite")
          }</p>`
    }
    ${drawn ? html`<footer>${notes(drawn, trajectories, isSurface)}</footer>` : nothing}`;
}

/** The title of another run on the same surface, with a button to remove it.
 * @param {import("./model/landscape.js").Landscape} landscape */
const otherRun = ({ run, tag }) =>
  html`${runTitle(run)}<button class="quiet" data-key="leave-out-run" data-run=${run} title=${t("land.remove")}
    aria-label="${t("land.remove")}: ${nameOf(run)}" @click=${() =>
      removeLandscape({ run, tag })}>${ICONS.close}</button>`;

/** Notes needed to interpret the drawing. @param {Model} model @param {import("./panes.js").Trajectory[]} trajectories
 * @param {boolean} isSurface */
function notes({ landscape, drawn, points, dropped, nonFinite, clipped, heights: all }, trajectories, isSurface) {
  const { measured } = landscape;
  const isDecimated = drawn.x.length < points.columns || drawn.y.length < points.rows;
  const isFiner = drawn.x.length > points.columns;
  const above = countAboveRoom(all, trajectories);
  const note = (/** @type {string} */ key, /** @type {string} */ text, warned = false) =>
    html`<span class=${warned ? "warned" : ""} data-note=${key}>${text}</span>`;
  return html`
    ${
      measured
        ? note(
            "measured",
            t(isSurface && !hasMap.value ? "land.note_nodes_surface" : "land.note_nodes", {
              n: grouped(measured.known.reduce((sum, one) => sum + one, 0)),
              columns: landscape.x.length,
              rows: landscape.y.length,
            }),
          )
        : note(
            "resolution",
            t(
              !isFiner ? "land.note_measured" : isSurface && !hasMap.value ? "land.note_surface" : "land.note_between",
              {
                columns: landscape.x.length,
                rows: landscape.y.length,
              },
            ),
          )
    }
    ${isLine(landscape) ? note("line", t("land.note_line")) : nothing}
    ${
      isDecimated
        ? note("decimated", t("land.note_decimated", { columns: drawn.x.length, rows: drawn.y.length }))
        : nothing
    }
    ${scale.value === "log" && heights.value.scale === "linear" ? note("no_log", t("land.note_no_log"), true) : nothing}
    ${
      clipped
        ? note(
            "clipped",
            t("land.note_clipped", {
              n: grouped(clipped),
              top: topText(all),
              highest: shortNumber(landscape.tally.hi),
            }),
          )
        : nothing
    }
    ${isSurface && above ? note("too_high", t("land.note_too_high", { n: grouped(above) })) : nothing}
    ${dropped ? note("dropped", t("land.note_dropped", { n: grouped(dropped) }), true) : nothing}
    ${nonFinite ? note("non_finite", t("land.note_non_finite", { n: grouped(nonFinite) }), true) : nothing}
    ${landscape.path && !landscape.path.steps ? note("no_steps", t("land.note_no_steps")) : nothing}`;
}

/** @param {Element} element */
export function fullScreen(element) {
  if (document.fullscreenElement) document.exitFullscreen();
  else element.requestFullscreen?.();
}
