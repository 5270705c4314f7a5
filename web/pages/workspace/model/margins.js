// The areas around lines: from the values of one tag to those of another, at the points of a third.

/** Tags of a chart with margins. @typedef {{value: string, lower: string, upper: string}} Margin */
/** @typedef {{xs: ArrayLike<number>, ys: ArrayLike<number>}} Points */

/** @param {unknown} value @returns {Margin[]} */
export function marginsOf(value) {
  if (!Array.isArray(value)) return [];
  return value.filter((each) =>
    ["value", "lower", "upper"].every((part) => typeof each?.[part] === "string" && each[part]),
  );
}

/** The values of a line at other places: between two points by their distances, NaN outside of them.
 * @param {Points} points ascending by x @param {ArrayLike<number>} places ascending */
export function valuesAt({ xs, ys }, places) {
  const values = new Float64Array(places.length).fill(NaN);
  let after = 0;
  for (let at = 0; at < places.length; at++) {
    const x = places[at];
    while (after < xs.length && xs[after] < x) after++;
    if (after === xs.length) break;
    if (xs[after] === x) values[at] = ys[after];
    else if (after > 0)
      values[at] = ys[after - 1] + ((x - xs[after - 1]) / (xs[after] - xs[after - 1])) * (ys[after] - ys[after - 1]);
  }
  return values;
}
