// How many points are drawn while the view moves, so that it moves smoothly on every machine. Pure.

/** Frames that take longer are not smooth; those that take less leave time for more points. */
const [SLOW, FAST] = [33, 20];
/** Points that every machine draws smoothly. */
const FEWEST = 20_000;

/** The share of the points that is drawn before anything is known of the machine. @param {number} count */
export const firstShare = (count) => Math.min(1, (4 * FEWEST) / count);

/** Returns the share of the points to draw next.
 * @param {number} share of the frame before @param {number} milliseconds since the frame before
 * @param {number} count of all points */
export function nextShare(share, milliseconds, count) {
  const least = Math.min(1, FEWEST / count);
  if (milliseconds > SLOW) return Math.max(least, share * Math.max(0.25, SLOW / milliseconds));
  return milliseconds < FAST ? Math.min(1, share * 1.25) : share;
}

/** An order of points of which each beginning is spread evenly over all: always the same one.
 * @param {number} count */
export function shuffled(count) {
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  let state = 1;
  for (let at = count - 1; at > 0; at--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
