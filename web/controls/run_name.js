// The names of runs, shortened: one text for a run where it fits, the whole name in its title.

import { computed, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { noteOf } from "../data/notes/notes.js";
import { matchingRuns, sessionPath } from "../data/runs/runs.js";
import { draftNames, MAX_SHORTENED, sharedFolders, shortNames } from "../data/runs/short_names.js";
import { cutLeaf } from "../data/tags/names.js";
import { t } from "../i18n/words.js";

/** Characters of a name for which the list of runs has room; it follows the width of the list. Other places have no
 * longer names: a run has one name where that fits. */
export const roomInList = signal(16);
/** Characters of a name in tables, on cards, in legends and read-outs, at most. */
const MOST = 28;

/** The displayed name of a run: its alias, if any; for a session, its path and what the server calls it.
 * @param {string} run */
export const nameOf = (run) => noteOf(run).alias ?? wholeName(run);

/** @param {string} run */
const wholeName = (run) => (run === "." ? t("rail.root") : sessionPath(run));

const names = computed(() => [...new Set(matchingRuns.value.map(wholeName))]);
const areMany = computed(() => names.value.length > MAX_SHORTENED);
const drafts = computed(() => draftNames(areMany.value ? [] : names.value));
const start = computed(() => (areMany.value ? sharedFolders(names.value) : 0));
/** Short names by characters, of which few numbers are used.
 * @type {Map<number, import("@preact/signals-core").ReadonlySignal<Map<string, string>>>} */
const shortened = new Map();

/** Short names of all runs that match the search, so that hiding runs changes none. @param {number} budget */
function shortenedTo(budget) {
  const known = shortened.get(budget) ?? computed(() => shortNames(drafts.value, budget));
  shortened.set(budget, known);
  return known.value;
}

/** The short name of a run; an alias stays as it is.
 * @param {string} run @param {number} [most] characters for which there is room */
export const shortNameOf = (run, most = MOST) =>
  noteOf(run).alias ??
  shortenedTo(Math.min(most, roomInList.value)).get(wholeName(run)) ??
  wholeName(run).slice(start.value);

/** The short name of a run, its path dimmed. @param {string} run @param {number} [most] characters */
export function nameParts(run, most) {
  const name = shortNameOf(run, most);
  const [path, leaf] = noteOf(run).alias ? ["", name] : cutLeaf(name);
  return html`${path ? html`<span class="path">${path}</span>` : nothing}<span class="leaf">${leaf}</span>`;
}

/** The short name of a run, whose title is the whole one. @param {string} run */
export const runName = (run) => html`<span class="run-name" title=${titleOf(run)}>${nameParts(run)}</span>`;

/** The whole name of a run, after its alias if it has one. @param {string} run */
export const titleOf = (run) => [...new Set([nameOf(run), wholeName(run)])].join("\n");
