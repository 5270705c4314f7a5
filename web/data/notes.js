// What users say about runs: shown at once, kept by the server, the same for all who look at the logdir.

import { computed, effect, signal } from "@preact/signals-core";
import { listed, runsByName } from "./catalogue.js";
import { changeNotes, listNotes } from "./notes_client.js";
import { set, setting } from "./view.js";

/** @typedef {import("./notes_client.js").Note} Note */

/** @type {Note} */
const NO_NOTE = { alias: null, note: "", tags: [], colour: null, hidden: false, archived: false };

/** Asked for at most this often while points come in. */
const INTERVAL = 1000;

/** By run; a run nothing is said about has none. Asked for while somebody reads them.
 * @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Note>>} */
export const notes = signal(new Map(), { watched: () => queueMicrotask(begin), unwatched: end });
/** Notes that the server could not read, a sentence each. @type {import("@preact/signals-core").Signal<string[]>} */
export const noteProblems = signal([]);
/** Why the last change of a run was not kept. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Error>>} */
export const saveErrors = signal(new Map());

/** Changes under way and what comes behind them, by run. @type {Map<string, Promise<void>>} */
const saving = new Map();
/** What the server last told. */
let told = "";

const awayShown = setting("over.away", "", ["", "shown"]);
/** Are hidden and archived runs listed and drawn like all others? */
export const isAwayShown = computed(() => awayShown.value === "shown");
/** @param {boolean} shown */
export const showAway = (shown) => set({ "over.away": shown ? "shown" : "" });

/** Runs that are hidden or archived; notes on runs that are gone do not count. */
export const putAwayRuns = computed(() => {
  const away = [...notes.value].filter(([run, note]) => (note.hidden || note.archived) && runsByName.value.has(run));
  return new Set(away.map(([run]) => run));
});
/** @type {ReadonlySet<string>} */
const NO_RUNS = new Set();
/** Those of them that are neither listed nor drawn because nobody asked for them. */
export const awayRuns = computed(() => (isAwayShown.value ? NO_RUNS : putAwayRuns.value));

/** @param {string} run */
export const noteOf = (run) => notes.value.get(run) ?? NO_NOTE;

/** All tags that runs have, in alphabetical order. */
export const noteTags = computed(() => [...new Set([...notes.value.values()].flatMap((note) => note.tags))].sort());

let timer = 0;
let askedAt = -Infinity;
/** @type {(() => void) | null} */
let stop = null;

/** Begins to follow what all viewers say. */
function begin() {
  stop ??= effect(() => {
    listed.value; // Changed notes are told as changed runs, and those are listed again.
    loadSoon();
  });
}

const loadSoon = () =>
  void (timer ||= window.setTimeout(loadNotes, Math.max(0, askedAt + INTERVAL - performance.now())));

function end() {
  clearTimeout(timer);
  timer = 0;
  stop?.();
  stop = null;
}

async function loadNotes() {
  timer = 0;
  askedAt = performance.now();
  try {
    const reply = await listNotes();
    const text = JSON.stringify(reply.runs);
    if (saving.size || text === told) return;
    told = text;
    notes.value = new Map(Object.entries(reply.runs));
    noteProblems.value = reply.problems;
  } catch {
    // What was known stays; the next change asks again.
  }
}

/** Shows a change at once and has the server keep it; changes of a run are kept in their order. When the server
 * cannot keep it, what was before comes back and `saveErrors` says why.
 * @param {string} run @param {Partial<Note>} patch */
export function saveNotes(run, patch) {
  const before = noteOf(run);
  publish(run, { ...before, ...patch });
  const undone = /** @type {Partial<Note>} */ (
    Object.fromEntries(Object.keys(patch).map((name) => [name, before[/** @type {keyof Note} */ (name)]]))
  );
  const save = (saving.get(run) ?? Promise.resolve()).then(() => keep(run, patch, undone));
  saving.set(run, save);
  return save.finally(() => {
    if (saving.get(run) === save) saving.delete(run);
    if (!saving.size && stop) loadSoon(); // What others said meanwhile was not taken over.
  });
}

/** @param {string} run @param {Partial<Note>} patch @param {Partial<Note>} before */
async function keep(run, patch, before) {
  try {
    const reply = await changeNotes(run, patch);
    told = "";
    publish(run, { ...noteOf(run), ...pick(reply.notes, patch) });
    tellError(run, null);
  } catch (error) {
    publish(run, { ...noteOf(run), ...before });
    tellError(run, /** @type {Error} */ (error));
  }
}

/** @param {Note} note @param {Partial<Note>} patch @returns {Partial<Note>} the fields of the patch, as the server keeps them */
const pick = (note, patch) =>
  Object.fromEntries(Object.keys(patch).map((name) => [name, note[/** @type {keyof Note} */ (name)]]));

/** @param {string} run @param {Note} note */
function publish(run, note) {
  notes.value = new Map(notes.peek()).set(run, note);
}

/** @param {string} run @param {Error | null} error */
function tellError(run, error) {
  const errors = new Map(saveErrors.peek());
  errors.delete(run);
  if (error) errors.set(run, error);
  saveErrors.value = errors;
}
