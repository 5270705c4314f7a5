// The images of a series, grouped by step.

/** @typedef {{step: number, wall_time: number, index: number, width: number | null, height: number | null,
 * animated: boolean, deep: boolean, truncated: boolean, url: string}} ImageEntry */
/** `animated`: has several frames. `deep`: has 16 bits a channel. `truncated`: its end is missing.
 * @typedef {{url: string, width: number | null, height: number | null, animated: boolean, deep: boolean,
 * truncated: boolean}} Picture */
/** The images recorded at one step, usually one.
 * @typedef {{step: number, wallTime: number, pictures: Picture[]}} Moment */

/** Groups entries by step. If a step was recorded more than once, the last record counts; an entry with index 0
 * starts a record.
 * @param {readonly ImageEntry[]} entries ascending by step @returns {Moment[]} */
export function momentsOf(entries) {
  /** @type {Moment[]} */
  const moments = [];
  for (const { step, wall_time: wallTime, index, ...picture } of entries) {
    const last = moments.at(-1);
    if (last?.step === step && index > 0) last.pictures.push(picture);
    else if (last?.step === step) Object.assign(last, { wallTime, pictures: [picture] });
    else moments.push({ step, wallTime, pictures: [picture] });
  }
  return moments;
}

/** Small pictures are scaled up without smoothing; larger ones are smoothed.
 * @param {Picture} picture */
export const isCoarse = ({ width }) => width !== null && width < 200;
