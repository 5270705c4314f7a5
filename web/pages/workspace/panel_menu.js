// The menu of a panel: edit, duplicate, move, resize, download, remove. One popover serves all panels.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { fileName } from "../../controls/download.js";
import { openAt, popover } from "../../controls/popover.js";
import { exportUrl } from "../../data/client/client.js";
import { scalarTags } from "../../data/runs/catalogue.js";
import { drawnRuns } from "../../data/runs/runs.js";
import { workspaceDocument } from "../../data/workspaces/workspace_document.js";
import { deletePanel, duplicatePanel, movePanel } from "./model/edit.js";
import { lineSettings } from "./model/line_settings.js";
import { sourcesOf } from "./model/line_sources.js";
import { titleOf } from "./model/titles.js";
import { nudge } from "./nudge.js";
import { announce, editing, rearrange } from "./state.js";
import { t } from "./words.js";

/** @typedef {import("./panel_frame.js").Place} Place */

const ID = "panel-menu";
/** More runs than this do not fit into a URL. */
const RUNS_IN_URL = 100;

/** @type {import("@preact/signals-core").Signal<Place | null>} */
const menuOf = signal(null);

/** @param {Place} place */
export const isMenuOf = ({ key }) => menuOf.value?.key === key;

/** @param {Place} place @param {MouseEvent} event */
export function openPanelMenu(place, event) {
  menuOf.value = place;
  if (!openAt(ID, event)) menuOf.value = null;
}

const close = () => document.getElementById(ID)?.hidePopover();

export function panelMenu() {
  const place = menuOf.value;
  const panel = place && workspaceDocument.value.sections[place.section]?.panels[place.at];
  return popover(
    { id: ID, label: t("ws.panel_menu"), toggled: (open) => void (open || (menuOf.value = null)) },
    place && panel ? menu(place, panel) : nothing,
  );
}

/** @param {Place} place @param {import("../../data/workspaces/workspace_check.js").Panel} panel */
function menu(place, panel) {
  const { section, at, key } = place;
  const { sections } = workspaceDocument.value;
  const title = titleOf(panel) || t("ws.untitled");
  const row = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ act) =>
    html`<button data-key=${name} @click=${() => {
      close();
      act();
    }}>${label}</button>`;
  const cell = (/** @type {string} */ name, /** @type {Partial<import("./model/edit.js").Box>} */ by) =>
    html`<button class="plain" data-nudge=${name} @click=${() => nudge(section, key, by)}>${t(
      /** @type {"ws.left"} */ (`ws.${name}`),
    )}</button>`;
  return html`
    <h2 class="menu-title" title=${title}>${title}</h2>
    <div class="menu-rows">
      ${row("edit-panel", t("ws.edit"), () => (editing.value = { level: "panel", section, at }))}
      ${row("duplicate", t("ws.duplicate"), () => rearrange(duplicatePanel(workspaceDocument.peek(), section, at)))}
      ${sections.map(({ name }, to) =>
        to === section
          ? nothing
          : row(`to-${to}`, t("ws.move_to", { name: name || t("ws.unnamed_section") }), () =>
              rearrange(movePanel(workspaceDocument.peek(), section, at, to)),
            ),
      )}
      ${csv(panel, title)}
      ${row("remove", t("ws.remove_panel"), () => {
        rearrange(deletePanel(workspaceDocument.peek(), section, at));
        announce(t("ws.removed", { name: title }), true);
      })}
    </div>
    <div class="menu-cells" role="group" aria-label=${t("ws.move_and_resize")}>
      ${cell("left", { x: -1 })}${cell("right", { x: 1 })}${cell("up", { y: -1 })}${cell("down", { y: 1 })}
      ${cell("narrower", { w: -1 })}${cell("wider", { w: 1 })}${cell("shorter", { h: -1 })}${cell("taller", { h: 1 })}
    </div>`;
}

/** @param {import("../../data/workspaces/workspace_check.js").Panel} panel @param {string} title */
function csv({ kind, settings }, title) {
  if (kind !== "lines") return nothing;
  const { sources } = sourcesOf(lineSettings(settings), scalarTags.value ?? []);
  const tags = sources.flatMap(({ name, isExpression }) => (isExpression ? [] : [name]));
  const runs = drawnRuns.value.length <= RUNS_IN_URL ? drawnRuns.value : [];
  return tags.length
    ? html`<a data-key="csv" href=${exportUrl("csv", tags, runs)} download=${fileName(title, "csv")} @click=${close}>${t("ws.csv")}</a>`
    : nothing;
}
