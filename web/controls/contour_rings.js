// Contour lines around a summit: the logo, and the background of empty pages.

/** Returns nested, slightly irregular closed curves as SVG path data, the outermost first.
 * @param {number} rings @param {number} radius of the outermost @param {number} flatten height over width */
export function contours(rings, radius, flatten) {
  return Array.from({ length: rings }, (_, ring) => contour(ring, radius * (1 - ring / rings), radius, flatten));
}

/** @param {number} ring @param {number} size @param {number} radius @param {number} flatten */
function contour(ring, size, radius, flatten) {
  const points = [];
  for (let turn = 0; turn < 120; turn++) {
    const angle = (turn / 120) * 2 * Math.PI;
    const bump =
      1 +
      0.09 * Math.sin(2 * angle + 0.7) +
      0.05 * Math.sin(3 * angle + ring * 0.35) +
      0.025 * Math.cos(5 * angle - ring * 0.6);
    const drift = (radius - size) * 0.14;
    points.push(
      `${(size * bump * Math.cos(angle) + drift).toFixed(2)} ${(
        flatten * (size * bump * Math.sin(angle)) - drift
      ).toFixed(2)}`,
    );
  }
  return `M${points.join("L")}Z`;
}
