// Lines of the table of runs: a run, or a group.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { alertMark } from "../../controls/alert_mark.js";
import { ICONS, swatch } from "../../controls/icons.js";
import { nameParts } from "../../controls/run_name.js";
import { stateWord } from "../../controls/state_mark.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { groupKeys, toggleGroup } from "../../data/groups/run_groups.js";
import { baseline } from "../../data/runs/baseline.js";
import { marked } from "../../data/runs/marked_runs.js";
import { styles } from "../../data/runs/runs.js";
import { EVERYTHING, isShown } from "../../data/runs/selection.js";
import { printView } from "../../data/view/address.js";
import { cursorRun } from "../../data/view/pointer.js";
import { narrow, selection, view } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { CELLS } from "./cells.js";
import { groupCell } from "./group_cells.js";
import { markAllBox, markBox, showAllSwitch, showSwitch } from "./row_boxes.js";
import { listedRuns } from "./rows.js";
import { showRun } from "./settings.js";
import { headRows, isFirst, isNumber } from "./table_head.js";
import { t } from "./words.js";

/** @typedef {import("./row.js").Row} Row */
/** @typedef {import("./columns.js").Column} Column */
/** @typedef {import("./rows.js").RowGroup} RowGroup */

/** @param {Row} row @param {Column[]} columns @param {number} place */
export function runLine(row, columns, place) {
  const { run } = row;
  const shown = isShown(selection.value, run);
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  return html`
    <tr class="run-line ${shown ? "" : "off"} ${marked.value.has(run) ? "marked" : ""} ${cursorRun.value === run ? "cursor" : ""} ${
      row.note.hidden || row.note.archived ? "away" : ""
    }" aria-rowindex=${place + headRows() + 1} data-run=${run} data-shown=${shown}>
      <th scope="row" class="name-cell"><div>
        ${markBox(row, listedRuns)}
        ${showSwitch(row)}
        ${swatch(style, DASHES[style.dash])}
        ${runLink(row)}
        ${
          row.runRow.damaged_records
            ? html`<span class="damaged" role="img" aria-label=${t("rail.damaged", { n: row.runRow.damaged_records })}
              title=${t("rail.damaged", { n: row.runRow.damaged_records })}>${ICONS.warning}</span>`
            : nothing
        }
        ${alertMark(run)}
        ${
          baseline.value === run
            ? html`<span class="baseline-mark" role="img" title=${t("rail.baseline")}
              aria-label=${t("rail.baseline")}>${ICONS.baseline}</span>`
            : nothing
        }
        ${
          row.note.archived
            ? html`<span class="meta">${t("notes.is_archived")}</span>`
            : row.note.hidden
              ? html`<span class="meta">${t("notes.is_hidden")}</span>`
              : nothing
        }
      </div></th>
      ${columns.map(
        (column, at) =>
          html`<td class="${isNumber(column) ? "number" : ""} ${isFirst(columns, at) ? "first" : ""}"
            data-column=${column.id}>${CELLS[column.look](row, column)}</td>`,
      )}
      <td></td>
    </tr>`;
}

/** Characters of a name for which the first column has room. */
const [NAME, NARROW_NAME] = [26, 17];

/** Larger selections are omitted from links, which would each contain all the names. */
const MAX_NAMES = 100;

/** The URL of the table, to which a link adds its run. */
const tableUrl = computed(() => {
  const { own, selection: chosen } = view.value;
  return printView({
    ...view.value,
    own: { ...own, "over.run": "" },
    selection: chosen.runs.size > MAX_NAMES ? EVERYTHING : chosen,
  });
});

/** The run's name is a link to its page. @param {Row} row */
export function runLink({ run, name, note }) {
  const url = `#${tableUrl.value}&over.run=${encodeURIComponent(run)}`;
  return html`<a class="run-name" href=${url} title=${note.alias ? `${name}\n${run}` : name}
    @click=${(/** @type {MouseEvent} */ event) => openRunPage(event, run)}>${nameParts(run, narrow.value ? NARROW_NAME : NAME)}</a>`;
}

/** @param {MouseEvent} event @param {string} run */
function openRunPage(event, run) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  showRun(run);
}

/** Opens and closes a group. @param {RowGroup} group */
export const groupToggle = ({ key, name, rows, isOpen }) => html`
  <button class="group-toggle" aria-expanded=${isOpen} @click=${() => toggleGroup(key)}>${ICONS.chevron}<span
    class="leaf">${groupTitle(name)}</span></button>
  <span class="meta">${t("overview.group_runs", { n: grouped(rows.length) })}</span>`;

/** @param {RowGroup} group @param {Column[]} columns @param {number} place */
export function groupLine(group, columns, place) {
  const { key, rows } = group;
  return html`
    <tr class="group-line" aria-rowindex=${place + headRows() + 1} data-group=${key} data-count=${rows.length}>
      <th scope="rowgroup" class="name-cell"><div>
        ${markAllBox(rows, t("overview.group_mark"))}
        ${showAllSwitch(rows, t("overview.group_draw"))}
        ${groupToggle(group)}
      </div></th>
      ${columns.map(
        (column, at) =>
          html`<td class="${isNumber(column) ? "number" : ""} ${isFirst(columns, at) ? "first" : ""}"
            data-column=${column.id}>${groupCell(rows, column)}</td>`,
      )}
      <td></td>
    </tr>`;
}

/** @param {string | null} name */
function groupTitle(name) {
  if (name === null) return t("overview.group_none");
  if (!name) return t("overview.group_all");
  const [key, ...others] = groupKeys.value;
  if (others.length) return name;
  if (key === "state") return stateWord(/** @type {import("../../data/client/api_types.js").RunState} */ (name));
  return key.startsWith("param:") ? html`<span class="path">${key.slice(6)} = </span>${name}` : name;
}
