// The frame of a panel: grip, title, actions; its content is an element of its kind.

import { html } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { pageKinds } from "../../controls/panel_kinds.js";
import { withValues } from "../../data/view/view.js";
import { workspaceDocument } from "../../data/workspaces/workspace_document.js";
import { ICONS as OWN_ICONS } from "./icons.js";
import { effective } from "./model/cascade.js";
import { changePanel } from "./model/edit.js";
import { titleOf } from "./model/titles.js";
import { nudge } from "./nudge.js";
import { isMenuOf, openPanelMenu } from "./panel_menu.js";
import { panelContent } from "./panels/kinds.js";
import { edit, editing, isEnlarged, toggleEnlarged, zoomName } from "./state.js";
import { t } from "./words.js";

/** Where a panel is. @typedef {{section: number, at: number, key: string}} Place */
/** @typedef {import("../../data/workspaces/workspace_check.js").WorkspaceDocument} WorkspaceDocument */

/** @param {WorkspaceDocument} document @param {Place} place */
export function panelFrame(document, place) {
  const { section, at } = place;
  const { settings, panels } = document.sections[section];
  const panel = panels[at];
  const title = titleOf(panel);
  const name = title || t(/** @type {"ws.kind_lines"} */ (`ws.kind_${panel.kind}`));
  const open = editing.value;
  const isEdited = open?.level === "panel" && open.section === section && open.at === at;
  const isLarge = isEnlarged(section, at);
  const enlarge = t(isLarge ? "ws.shrink" : "ws.enlarge");
  return html`<article class="panel" data-enlarged=${isLarge} aria-label=${name} data-kind=${panel.kind} data-edited=${isEdited}>
    <header class="panel-head">
      <h3 title=${name} class=${title ? "" : "hint"}>${title || (isEmpty(panel) || pageKinds.has(panel.kind) ? name : "")}</h3>
      <div class="actions">
        <button class="quiet grip" data-key="grip" title=${t("ws.grip")} aria-label=${`${t("ws.grip")}: ${name}`}
          @keydown=${(/** @type {KeyboardEvent} */ event) => nudgeByKey(event, place)}>${OWN_ICONS.grip}</button>
        <button class="quiet" data-key="edit" title=${t("ws.edit")} aria-label=${`${t("ws.edit")}: ${name}`}
          aria-expanded=${isEdited} @click=${() => (editing.value = { level: "panel", section, at })}>${ICONS.pencil}</button>
        <button class="quiet" data-key="enlarge" title=${enlarge} aria-label=${`${enlarge}: ${name}`} aria-pressed=${isLarge}
          @click=${() => toggleEnlarged(section, at)}>${isLarge ? ICONS.shrink : ICONS.enlarge}</button>
        <button class="quiet" data-key="menu" aria-haspopup="dialog" aria-expanded=${isMenuOf(place)}
          title=${t("ws.panel_menu")} aria-label=${`${t("ws.panel_menu")}: ${name}`}
          @click=${(/** @type {MouseEvent} */ event) => openPanelMenu(place, event)}>${OWN_ICONS.more}</button>
      </div>
    </header>
    <div class="panel-body">${panelContent(panel.kind, {
      settings: effective(document.settings, settings, panel.settings),
      zoom: zoomName(section, at),
      keep: (values) => keepPageSettings(place, values),
    })}</div>
  </article>`;
}

/** Keeps settings of a page in a panel. @param {Place} place @param {Readonly<Record<string, string>>} values */
function keepPageSettings({ section, at, key }, values) {
  const now = workspaceDocument.peek();
  const { settings } = now.sections[section].panels[at];
  edit(changePanel(now, section, at, { settings: withValues(settings, values) }), `page settings ${section} ${key}`);
}

/** @param {import("../../data/workspaces/workspace_check.js").Panel} panel */
const isEmpty = ({ settings }) => !Object.keys(settings).length;

/** @type {Record<string, [x: number, y: number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Arrows move the panel by a cell; with Shift they resize it.
 * @param {KeyboardEvent} event @param {Place} place */
function nudgeByKey(event, { section, key }) {
  const [across, down] = ARROWS[event.key] ?? [];
  if (across === undefined || down === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  nudge(section, key, event.shiftKey ? { w: across, h: down } : { x: across, y: down });
}
