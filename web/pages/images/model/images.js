// The images of a series: what the server lists, by step.

/** @typedef {{step: number, wall_time: number, index: number, width: number | null, height: number | null,
 * url: string}} ImageEntry */
/** @typedef {{url: string, width: number | null, height: number | null}} Picture */
/** What was recorded at one step: usually one picture.
 * @typedef {{step: number, wallTime: number, pictures: Picture[]}} Moment */

/** Of several values of one step the last is shown; each begins with its picture 0.
 * @param {readonly ImageEntry[]} entries ascending by step @returns {Moment[]} */
export function momentsOf(entries) {
  /** @type {Moment[]} */
  const moments = [];
  for (const { step, wall_time: wallTime, index, url, width, height } of entries) {
    const last = moments.at(-1);
    if (last?.step === step && index > 0) last.pictures.push({ url, width, height });
    else if (last?.step === step) Object.assign(last, { wallTime, pictures: [{ url, width, height }] });
    else moments.push({ step, wallTime, pictures: [{ url, width, height }] });
  }
  return moments;
}

/** Small pictures are enlarged pixel by pixel; larger ones are smoothed when they are made smaller.
 * @param {Picture} picture */
export const isCoarse = ({ width }) => width !== null && width < 200;
