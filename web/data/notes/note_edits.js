// Changes of the notes of many runs: what they lead to, what reverts them, and the requests that save them.

/** @typedef {import("./notes_client.js").Note} Note */
/** @typedef {import("./notes_client.js").NoteEdit} NoteEdit */
/** @typedef {import("./notes_client.js").RunsEdit} RunsEdit */
/** @typedef {ReadonlyMap<string, Note>} Notes by run */

/** The limits of a request. */
const MAX_RUNS = 10_000;
const MAX_EDITS = 1000;

/** @param {Notes} notes @param {readonly RunsEdit[]} edits @param {Note} none @returns {Notes} */
export function editedNotes(notes, edits, none) {
  const all = new Map(notes);
  for (const { runs, change } of edits) for (const run of runs) all.set(run, edited(all.get(run) ?? none, change));
  return all;
}

/** @param {Note} note @param {NoteEdit} edit @returns {Note} */
function edited(note, { add_labels: added = [], remove_labels: removed = [], ...fields }) {
  const labels = [...new Set([...(fields.labels ?? note.labels), ...added])];
  return { ...note, ...fields, labels: labels.filter((label) => !removed.includes(label)) };
}

/** Returns the edits that restore the notes from before an edit. @param {Notes} notes before it
 * @param {readonly RunsEdit[]} edits @param {Note} none @returns {RunsEdit[]} */
export function revertingEdits(notes, edits, none) {
  /** @type {Map<string, {runs: string[], change: NoteEdit}>} */
  const byChange = new Map();
  const seen = new Set();
  for (const { runs, change } of edits) {
    for (const run of runs) {
      if (seen.has(run)) continue;
      seen.add(run);
      const previous = previousFields(notes.get(run) ?? none, change);
      const key = JSON.stringify(previous);
      const others = byChange.get(key);
      if (others) others.runs.push(run);
      else byChange.set(key, { runs: [run], change: previous });
    }
  }
  return [...byChange.values()];
}

/** @param {Note} note @param {NoteEdit} edit @returns {NoteEdit} */
function previousFields(note, { add_labels: added, remove_labels: removed, ...fields }) {
  const names = /** @type {(keyof Note)[]} */ (Object.keys(fields));
  if ((added || removed) && !names.includes("labels")) names.push("labels");
  return Object.fromEntries(names.map((name) => [name, note[name]]));
}

/** Splits edits into requests that the server accepts. @param {readonly RunsEdit[]} edits @returns {RunsEdit[][]} */
export function requestsOf(edits) {
  /** @type {RunsEdit[][]} */
  const requests = [];
  let room = 0;
  for (const { runs, change } of edits) {
    for (let start = 0; start < runs.length; ) {
      if (room === 0 || requests.at(-1)?.length === MAX_EDITS) {
        requests.push([]);
        room = MAX_RUNS;
      }
      const part = runs.slice(start, start + room);
      requests.at(-1)?.push({ runs: part, change });
      start += part.length;
      room -= part.length;
    }
  }
  return requests;
}
