// The training along the paths that are shown: its checkpoints, stepped through and played.

import { computed, effect } from "@preact/signals-core";
import { unionOf } from "../../controls/steps.js";
import { landscapes } from "./model/landscapes.js";
import { timesOf } from "./model/path.js";
import { moment, moving, setMoment, speed } from "./settings.js";

/** How long a whole path plays at speed one, in milliseconds. */
const WHOLE = 6000;

const paths = computed(() =>
  landscapes.value.flatMap(({ landscape }) => (landscape?.path?.x.length ? [landscape.path] : [])),
);
/** Are moments training steps? Else they count checkpoints. */
export const inSteps = computed(() => paths.value.length > 0 && paths.value.every(({ steps }) => steps !== null));
/** The moments of all checkpoints, ascending. */
export const moments = computed(() =>
  unionOf(paths.value.map((path) => [...timesOf(path)].sort((one, other) => one - other))),
);

/** From the first checkpoint to the last; null without two. @returns {[number, number] | null} */
export const stretch = () => {
  const all = moments.value;
  return all.length > 1 ? [all[0], all[all.length - 1]] : null;
};

export const isPlaying = computed(() => moving.value !== null);

/** Moves to the checkpoint so many further on, from where the path stands.
 * @param {number} by */
export function step(by) {
  stop();
  const all = moments.peek();
  if (!all.length) return;
  const now = moment.peek() ?? all[all.length - 1];
  const at = by > 0 ? all.findIndex((one) => one > now) : all.findLastIndex((one) => one < now);
  take(at < 0 ? (by > 0 ? all.length - 1 : 0) : at);
}

/** @param {number} place of a checkpoint; at the last one the whole path is there, as usual */
export function take(place) {
  stop();
  const all = moments.peek();
  setMoment(place >= all.length - 1 ? null : all[place]);
}

let frame = 0;

export const playOrPause = () => (isPlaying.peek() ? pause() : play());

function play() {
  const all = stretch();
  if (!all) return;
  const [first, last] = all;
  const now = moment.peek();
  let at = now === null || now >= last ? first : Math.max(first, now);
  let before = performance.now();
  moving.value = at;
  const go = (/** @type {number} */ time) => {
    at += (Math.max(0, time - before) / WHOLE) * (last - first) * Number(speed.peek());
    before = time;
    if (at >= last) {
      stop();
      setMoment(null);
      return;
    }
    moving.value = at;
    frame = requestAnimationFrame(go);
  };
  frame = requestAnimationFrame(go);
}

/** Rests where it is. */
function pause() {
  const now = moving.peek();
  setMoment(now);
  stop();
}

export function stop() {
  cancelAnimationFrame(frame);
  moving.value = null;
}

/** Stops when there is nothing left to play, and at the end. */
export function followTimeline() {
  const end = effect(() => {
    if (!stretch()) stop();
  });
  return () => {
    end();
    stop();
  };
}
