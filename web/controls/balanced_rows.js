// How many cards of a group are in a row.

/** Fewer than fit where that needs no further row: the cards are wider, and the last row has fewer gaps.
 * @param {number} count of cards @param {number} most that fit */
export const balanced = (count, most) => Math.ceil(count / Math.ceil(count / most));
