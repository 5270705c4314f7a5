// The cards that were visible last keep their series.

/** @typedef {{drop: () => void}} Card */

const KEPT = 48;

/** In the order in which they were last visible. @type {Set<Card>} */
const recent = new Set();

/** @param {Card} card */
export function remember(card) {
  recent.delete(card);
  recent.add(card);
  if (recent.size <= KEPT) return;
  const [oldest] = recent;
  oldest.drop();
}

/** @param {Card} card */
export const forget = (card) => recent.delete(card);
