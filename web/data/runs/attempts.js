// Attempts of runs: what the stitched view hides, and which ones a chart offers.

/** Attempts that are offered where space is short: the last ones. A toolbar offers more. */
const MAX_OFFERED = 4;

/** Numbers of the last attempts, from 1; none if there is only one.
 * @param {number} count */
export function offeredAttempts(count) {
  const offered = count > 1 ? Math.min(count, MAX_OFFERED) : 0;
  return Array.from({ length: offered }, (_, place) => count - offered + 1 + place);
}

/** Counts the points of earlier attempts that stitched series hide, and the attempts of their runs: the most of one run.
 * @param {Iterable<{run: string, hidden?: number}>} series @param {{get: (run: string) => number | undefined}} attempts by run */
export function hiddenAttempts(series, attempts) {
  let points = 0;
  let most = 1;
  for (const { run, hidden = 0 } of series) {
    most = Math.max(most, attempts.get(run) ?? 1);
    points += hidden;
  }
  return { points, attempts: most };
}
