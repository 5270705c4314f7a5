// The differences between two texts, by word.

import { diffWordsWithSpace } from "diff";

/** A part of a text, and whether the other text lacks it. @typedef {{text: string, differs: boolean}} Part */

/** Milliseconds after which two texts count as too different. */
const MAX_TIME = 500;

/** Returns the parts of both texts; null if it would take too long.
 * @param {string} one @param {string} other @returns {[Part[], Part[]] | null} */
export function differences(one, other) {
  const changes = diffWordsWithSpace(one, other, { timeout: MAX_TIME });
  if (!changes) return null;
  const side = (/** @type {boolean} */ isOther) =>
    changes
      .filter(({ added, removed }) => (isOther ? !removed : !added))
      .map(({ value, added, removed }) => ({ text: value, differs: added || removed }));
  return [side(false), side(true)];
}
