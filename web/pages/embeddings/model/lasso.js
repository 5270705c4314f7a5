// The inside of a line that is drawn by hand. Pure.

/** Returns a function that says whether a place is inside a polygon, by the even-odd rule.
 * @param {readonly (readonly [x: number, y: number])[]} corners */
export function insideOf(corners) {
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  return (/** @type {number} */ x, /** @type {number} */ y) => {
    if (x < left || x > right || y < top || y > bottom) return false;
    let isInside = false;
    for (let at = 0, last = corners.length - 1; at < corners.length; last = at++) {
      const isBetween = ys[at] > y !== ys[last] > y;
      if (isBetween && x < ((xs[last] - xs[at]) * (y - ys[at])) / (ys[last] - ys[at]) + xs[at]) isInside = !isInside;
    }
    return isInside;
  };
}
