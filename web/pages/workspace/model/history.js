// The documents before and after the present one, for undo and redo.

/** `what`: what the last edit changed; further edits of the same belong to it.
 * @template Document
 * @typedef {{past: readonly Document[], future: readonly Document[], present: Document | null, what: string}} History */

const MOST = 100;

/** @template Document @returns {History<Document>} */
export const emptyHistory = () => ({ past: [], future: [], present: null, what: "" });

/** After an edit. Of a document that was not edited here last, only this edit can be undone.
 * @template Document
 * @param {History<Document>} history @param {Document} before @param {Document} after @param {string} what "" = an edit
 * of its own @returns {History<Document>} */
export function edited(history, before, after, what) {
  const isKnown = history.present === before;
  const past = isKnown ? history.past : [];
  const continues = isKnown && what !== "" && what === history.what;
  return { past: continues ? past : [...past, before].slice(-MOST), future: [], present: after, what };
}

/** @template Document
 * @param {History<Document>} history @returns {History<Document>} the same if there is nothing to undo */
export function undone(history) {
  const { past, future, present } = history;
  if (!past.length || present === null) return history;
  return { past: past.slice(0, -1), future: [present, ...future], present: past[past.length - 1], what: "" };
}

/** @template Document
 * @param {History<Document>} history @returns {History<Document>} the same if there is nothing to redo */
export function redone(history) {
  const { past, future, present } = history;
  if (!future.length || present === null) return history;
  return { past: [...past, present], future: future.slice(1), present: future[0], what: "" };
}
