// The extent of histograms without outliers.

import { percentile, valueExtent } from "../../../charts/histogram/buckets.js";

/** @typedef {import("../../../charts/histogram/buckets.js").Distribution} Distribution */

/** Share of all values that is cut off at each end. */
const TRIMMED = 0.001;
/** Outliers are cut off if the others have less than this share of the axis. */
const STRETCHED = 0.6;
/** A run whose extent is this many times wider than that of the median run may be cut off. */
const MUCH_WIDER = 8;
/** A step whose extent is this many times wider than that of the run's median step may be cut off: widths grow while a
 * network trains, so that more is allowed than between runs. */
const DIVERGED = 64;
/** The shares of runs and of steps that must be left. */
const MAX_RUNS = 0.5;
const MAX_STEPS = 0.9;
/** Bisections that suffice for any two doubles. */
const MAX_HALVINGS = 200;

/** The 0.1 and 99.9 percentiles of all values of all histograms; null without values.
 * @param {Distribution[]} distributions @returns {[number, number] | null} */
export function trimmedExtent(distributions) {
  const filled = distributions.filter(({ total }) => total > 0);
  return filled.length ? [lowEnd(filled, 1), -lowEnd(filled, -1)] : null;
}

/** The extent shared by several runs, without outliers that stretch it. A few runs that reach much further than the others, such
 * as one that diverged, do not stretch it.
 * @param {Distribution[][]} ofRuns the histograms of each run @returns {[number, number] | null} */
export function sharedExtent(ofRuns) {
  const extents = ofRuns.map(extentOfRun).filter((extent) => extent !== null);
  if (!extents.length) return null;
  const counted = withoutWidest(extents, widthOf, MUCH_WIDER, MAX_RUNS);
  return [Math.min(...counted.map(([low]) => low)), Math.max(...counted.map(([, high]) => high))];
}

/** Leaves out what is much wider than the median, unless too little would be left.
 * @template T
 * @param {T[]} all @param {(one: T) => number} widthOfOne @param {number} times @param {number} share to be left */
function withoutWidest(all, widthOfOne, times, share) {
  const widths = all.map(widthOfOne);
  const most = times * widths.toSorted((a, b) => a - b)[(widths.length - 1) >> 1];
  const kept = all.filter((_, place) => widths[place] <= most);
  return most > 0 && kept.length > share * all.length ? kept : all;
}

/** The extent of a run: without steps that diverged, and without its outliers if they stretch it, else of all values.
 * @param {Distribution[]} all @returns {readonly [number, number] | null} */
function extentOfRun(all) {
  const filled = all.filter(({ total }) => total > 0);
  if (!filled.length) return null;
  const rows = withoutWidest(filled, (row) => widthOf(trimmedExtent([row]) ?? [0, 0]), DIVERGED, MAX_STEPS);
  const whole = valueExtent(rows);
  const trimmed = trimmedExtent(rows);
  if (!whole || !trimmed) return null;
  return widthOf(trimmed) < STRETCHED * widthOf(whole) ? trimmed : whole;
}

/** Half the width, as an extent may span all doubles.
 * @param {readonly [number, number]} extent */
const widthOf = ([low, high]) => high / 2 - low / 2;

/** Finds the low end by bisection, between the lowest and highest of the percentiles of each histogram.
 * @param {Distribution[]} filled
 * @param {1 | -1} sign -1 negates all values, so that the high end becomes the low one */
function lowEnd(filled, sign) {
  const ends = filled.map((row) => sign * percentile(row, sign > 0 ? TRIMMED : 1 - TRIMMED));
  const target = TRIMMED * filled.reduce((sum, { total }) => sum + total, 0);
  let low = ends.reduce((a, b) => Math.min(a, b));
  let high = ends.reduce((a, b) => Math.max(a, b));
  for (
    let halvings = 0;
    halvings < MAX_HALVINGS && high / 2 - low / 2 > Math.max(Math.abs(low), Math.abs(high)) * 1e-12;
    halvings++
  ) {
    const middle = low / 2 + high / 2;
    if (filled.reduce((sum, row) => sum + countUpTo(row, middle, sign), 0) < target) low = middle;
    else high = middle;
  }
  return low; // Not `high`: many equal values, for example zeros, belong inside.
}

/** The number of values <= `value`, assuming values evenly spread within each bucket. Computed with halves, since a
 * bucket may span all doubles.
 * @param {Distribution} distribution @param {number} value @param {1 | -1} sign */
function countUpTo({ left, right, counts }, value, sign) {
  const [from, to] = sign > 0 ? [left, right] : [right, left];
  let sum = 0;
  for (let place = 0; place < counts.length; place++) {
    const index = sign > 0 ? place : counts.length - 1 - place;
    if (sign * from[index] > value) break;
    const width = Math.abs(to[index] / 2 - from[index] / 2);
    sum += counts[index] * (width > 0 ? Math.min(1, (value / 2 - (sign * from[index]) / 2) / width) : 1);
  }
  return sum;
}
