// The audio clips of a series, grouped by step, and what is known of a clip as text.

import { grouped, shortNumber } from "../../../i18n/numbers.js";

/** @typedef {object} Clip
 * @property {number} index in its value
 * @property {string} label
 * @property {string} media_type
 * @property {number | null} sample_rate
 * @property {number | null} channels
 * @property {number | null} frames
 * @property {number} bytes
 * @property {string} url
 */
/** @typedef {Clip & {step: number, wall_time: number}} ClipEntry */
/** The clips recorded at one step. @typedef {{step: number, wallTime: number, clips: Clip[]}} Moment */

/** Groups entries by step. If a step was recorded more than once, the last record counts; an entry with index 0
 * starts a record.
 * @param {readonly ClipEntry[]} entries ascending by step @returns {Moment[]} */
export function momentsOf(entries) {
  /** @type {Moment[]} */
  const moments = [];
  for (const { step, wall_time: wallTime, ...clip } of entries) {
    const last = moments.at(-1);
    if (last?.step === step && clip.index > 0) last.clips.push(clip);
    else if (last?.step === step) Object.assign(last, { wallTime, clips: [clip] });
    else moments.push({ step, wallTime, clips: [clip] });
  }
  return moments;
}

/** The length of a clip in seconds; null if it is not stated.
 * @param {Clip} clip */
export const secondsOf = ({ frames, sample_rate: rate }) => (frames && rate ? frames / rate : null);

/** "16 kHz", "44.1 kHz". @param {number} rate */
export const rateText = (rate) => (rate < 1000 ? `${grouped(rate)} Hz` : `${Number((rate / 1000).toFixed(3))} kHz`);

/** "0.25 s", "1:05". @param {number} seconds */
export function lengthText(seconds) {
  if (seconds < 60) return `${shortNumber(seconds)} s`;
  const whole = Math.round(seconds);
  return `${grouped(Math.floor(whole / 60))}:${String(whole % 60).padStart(2, "0")}`;
}

/** @type {Record<string, string>} */
const ENDINGS = { "audio/wav": "wav", "audio/mpeg": "mp3", "audio/ogg": "ogg", "audio/flac": "flac" };

/** Can browsers play it? @param {Clip} clip */
export const isPlayable = (clip) => Object.hasOwn(ENDINGS, clip.media_type);

/** The ending of its file. @param {Clip} clip */
export const endingOf = (clip) => ENDINGS[clip.media_type] ?? "bin";
