// The current moment on the shown paths: stepping and playback.

import { computed, effect } from "@preact/signals-core";
import { unionOf } from "../../controls/steps.js";
import { landscapes } from "./model/landscapes.js";
import { timesOf } from "./model/path.js";
import { moment, playbackMoment, setMoment, speed } from "./settings.js";

/** Duration of a whole path at speed 1, in milliseconds. */
const DURATION = 6000;

const paths = computed(() =>
  landscapes.value.flatMap(({ landscape }) => (landscape?.path?.x.length ? [landscape.path] : [])),
);
/** Are moments training steps? Otherwise they are numbers of checkpoints. */
export const inSteps = computed(() => paths.value.length > 0 && paths.value.every(({ steps }) => steps !== null));
/** The moments of all checkpoints, ascending. */
export const moments = computed(() => unionOf(paths.value.map((path) => [...timesOf(path)].sort((a, b) => a - b))));

/** The first and last moment; null with fewer than two. @returns {[number, number] | null} */
export const momentRange = () => {
  const all = moments.value;
  return all.length > 1 ? [all[0], all[all.length - 1]] : null;
};

export const isPlaying = computed(() => playbackMoment.value !== null);

/** Moves by a number of checkpoints from the current moment.
 * @param {number} by */
export function step(by) {
  stop();
  const all = moments.peek();
  if (!all.length) return;
  const now = moment.peek() ?? all[all.length - 1];
  const at = by > 0 ? all.findIndex((candidate) => candidate > now) : all.findLastIndex((candidate) => candidate < now);
  goTo(at < 0 ? (by > 0 ? all.length - 1 : 0) : at);
}

/** @param {number} place index of a checkpoint; the last one resets to the whole path */
export function goTo(place) {
  stop();
  const all = moments.peek();
  setMoment(place >= all.length - 1 ? null : all[place]);
}

let frame = 0;

export const playOrPause = () => (isPlaying.peek() ? pause() : play());

function play() {
  const all = momentRange();
  if (!all) return;
  const [first, last] = all;
  const now = moment.peek();
  let at = now === null || now >= last ? first : Math.max(first, now);
  let before = performance.now();
  playbackMoment.value = at;
  const advance = (/** @type {number} */ time) => {
    at += (Math.max(0, time - before) / DURATION) * (last - first) * Number(speed.peek());
    before = time;
    if (at >= last) {
      stop();
      setMoment(null);
      return;
    }
    playbackMoment.value = at;
    frame = requestAnimationFrame(advance);
  };
  frame = requestAnimationFrame(advance);
}

/** Stops playback at the current moment. */
function pause() {
  const now = playbackMoment.peek();
  setMoment(now);
  stop();
}

export function stop() {
  cancelAnimationFrame(frame);
  playbackMoment.value = null;
}

/** Stops playback if the paths disappear, and when the returned function is called. */
export function followTimeline() {
  const end = effect(() => {
    if (!momentRange()) stop();
  });
  return () => {
    end();
    stop();
  };
}
