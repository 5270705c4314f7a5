// The status of a card: one icon in its header, whose popover says what the chart does not show as it was recorded.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { beyondLimits } from "../../controls/lines/line_plot.js";
import { openAt, popover } from "../../controls/popover.js";
import { nameOf } from "../../controls/run_name.js";
import { chooseOwnX, xOf } from "../../data/series/x_axis.js";
import { isOfMachine } from "../../data/tags/machine_tags.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { attemptNote } from "./attempt_note.js";
import { bandNotes } from "./band_notes.js";
import { t } from "./words.js";
import { writerNote } from "./writer_note.js";

/** A sentence of a status. Of the levels, an "info" alone is shown with the actions of the card only.
 * @typedef {"info" | "notice" | "warning"} Level
 * @typedef {{name: string, level: Level, text: string, hint?: string, actions?: unknown}} Note */
/** @typedef {ReturnType<typeof import("../../controls/lines/line_plot.js").pointCounts>} PointCounts */
/** @typedef {import("../../controls/lines/line_plot.js").Part} Part */
/** @typedef {import("../../charts/plot.js").Plot} Plot */

/** Runs that a note names; further ones are counted. */
const MAX_NAMED = 3;
const LEVELS = /** @type {const} */ (["warning", "notice", "info"]);

/** @param {string} tag @param {Note[]} notes */
export function cardStatus(tag, notes) {
  if (!notes.length) return nothing;
  const id = `card-status-${encodeURIComponent(tag)}`;
  const level = LEVELS.find((name) => notes.some((note) => note.level === name));
  return html`<button class="quiet card-status" data-key="status" data-level=${level} aria-haspopup="dialog"
      title=${notes.map(({ text }) => text).join("\n")} aria-label=${`${t("card.status")}: ${notes[0].text}`}
      @click=${(/** @type {MouseEvent} */ event) => openAt(id, event)}>${level === "warning" ? ICONS.warning : ICONS.details}</button>
    ${popover(
      { id, label: t("card.status") },
      html`<h2 class="menu-title" title=${tag}>${tag}</h2><ul class="status-notes">${notes.map(row)}</ul>`,
    )}`;
}

/** @param {Note} note */
const row = ({ name, level, text, hint, actions }) => html`<li data-level=${level}>
  <span data-note=${name}>${text}</span>${actions ?? nothing}
  ${hint ? html`<p class="meta">${hint}</p>` : nothing}</li>`;

/** @param {string} tag @param {Part[]} parts @param {PointCounts} counts @param {Plot | null} plot
 * @param {import("../../charts/ticks.js").Axis} axis @returns {Note[]} the gravest first */
export function notesOf(tag, parts, counts, plot, axis) {
  const series = parts.flatMap((part) => part.series);
  const notes = [
    ...limitNotes(plot),
    ...pointNotes(counts),
    ...repeatNotes(tag, series, counts.duplicates),
    ...contextNotes(plot),
    ...bandNotes(parts),
    ...writerNote(series),
    ...attemptNote(series),
    ...(axis === "wall_time" && xOf(tag).axis === "step" && !isOfMachine(tag)
      ? [info("one_step", t(series.some(isAboveExact) ? "card.close_steps" : "card.one_step"))]
      : []),
  ];
  return notes.toSorted((a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level));
}

/** @param {import("../../data/series/series.js").Series} series */
const isAboveExact = ({ step }) => step.length > 0 && !Number.isSafeInteger(step[step.length - 1]);

/** @param {string} name @param {string} text @param {string} [hint] @returns {Note} */
const info = (name, text, hint) => ({ name, level: "info", text, hint });

/** @param {Plot | null} plot @returns {Note[]} */
function limitNotes(plot) {
  const limits = plot ? beyondLimits(plot).filter(({ lines }) => lines.length) : [];
  return limits.map(({ above, value, lines }) => ({
    name: "limit",
    level: "warning",
    text: t(above ? "card.above" : "card.below", { value: shortNumber(value, 5), runs: namesOf(lines) }),
  }));
}

/** How many lines have colours, if most are grey. @param {Plot | null} plot @returns {Note[]} */
function contextNotes(plot) {
  const lines = plot?.lines ?? [];
  const coloured = lines.filter(({ isContext }) => !isContext).length;
  const counts = { n: grouped(coloured), total: grouped(lines.length) };
  return coloured < lines.length ? [info("context", t("card.context", counts), t("card.context_hint"))] : [];
}

/** @param {PointCounts} counts @returns {Note[]} */
function pointNotes({ drawn, total, unplaced, setBack, dropped, left }) {
  const counts = { drawn: grouped(drawn), total: grouped(total) };
  /** @type {Array<[number, Note]>} */
  const all = [
    [dropped, { name: "dropped", level: "warning", text: t("card.dropped", { n: grouped(dropped) }) }],
    [left, { name: "left", level: "warning", text: t("card.left", { n: grouped(left) }) }],
    [
      unplaced,
      {
        name: "unplaced",
        level: "warning",
        text: t("card.unplaced", { n: grouped(unplaced) }),
        hint: t("card.unplaced_hint"),
      },
    ],
    [
      setBack,
      {
        name: "set_back",
        level: "warning",
        text: t("card.set_back", { n: grouped(setBack) }),
        hint: t("card.set_back_hint"),
      },
    ],
    [total - drawn, info("downsampled", t("card.downsampled", counts), t("card.downsampled_hint", counts))],
  ];
  return all.flatMap(([count, note]) => (count > 0 ? [note] : []));
}

/** Of a series whose steps begin again, in each epoch for example, only the last round is drawn over steps.
 * @param {string} tag @param {import("../../data/series/series.js").Series[]} series @param {number} duplicates @returns {Note[]} */
function repeatNotes(tag, series, duplicates) {
  if (!duplicates) return [];
  const isMost = series.some((each) => each.total > 2 && 2 * each.duplicates >= each.total);
  const offer = html`<button class="text" data-key="over-time" @click=${() => chooseOwnX(tag, "relative")}>${t("card.over_time")}</button>`;
  return [
    {
      name: "duplicates",
      level: isMost ? "notice" : "info",
      text: t("card.duplicates", { n: grouped(duplicates) }),
      hint: t("card.duplicates_hint"),
      actions: isMost ? offer : undefined,
    },
  ];
}

/** @param {import("../../charts/plot.js").Line[]} lines */
function namesOf(lines) {
  const names = [...new Set(lines.map(({ run }) => nameOf(run)))];
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` +${more}` : "");
}
