// Asks the server for what the visible cards miss: many cards in one request, nothing twice, nothing superseded.

import { effect } from "@preact/signals-core";
import { RefusedRequest, readScalars } from "../api/client.js";
import { seriesOf } from "../lib/series.js";
import { drawnRuns } from "./runs.js";

/** @typedef {import("./feed.js").Feed} Feed */

/** One request: every feed in it has the same query and misses the same runs.
 * @typedef {{key: string, feeds: Feed[], runs: string[], stop: AbortController}} Job */

/** Series a request may ask for: a larger reply would hold up the page while it is parsed. */
const SERIES_PER_REQUEST = 100;
const REQUESTS_AT_ONCE = 3;
/** Points a chart may draw of all its runs together, and bounds for one run of them. */
const POINTS_PER_CHART = 20_000;
const MOST_POINTS = 1000;
const FEWEST_POINTS = 200;

/** Feeds of the cards in sight. @type {Set<Feed>} */
const inSight = new Set();
/** @type {Set<Job>} */
const jobs = new Set();
let scheduled = false;

/** @param {Feed} feed */
export function follow(feed) {
  inSight.add(feed);
  schedule();
}

/** @param {Feed} feed */
export function leave(feed) {
  inSight.delete(feed);
  abandonSuperseded();
}

/** A feed's query has changed. */
export function asked() {
  abandonSuperseded();
  schedule();
}

/** @param {string[] | null} changed runs with new points, null = any @param {Iterable<Feed>} feeds */
export function expire(changed, feeds) {
  for (const feed of feeds) feed.expire(changed);
  schedule();
}

/** Collects what the current turn of the page asks for into common requests. */
export function schedule() {
  if (scheduled) return;
  scheduled = true;
  queueMicrotask(() => {
    scheduled = false;
    startJobs();
  });
}

function startJobs() {
  for (const job of plannedJobs()) {
    if (jobs.size >= REQUESTS_AT_ONCE) return;
    run(job);
  }
}

/** @returns {Generator<Job>} */
function* plannedJobs() {
  const drawn = drawnRuns.peek();
  const alike = Map.groupBy(inSight, (feed) => JSON.stringify([feed.key, feed.missing(drawn)]));
  for (const feeds of alike.values()) {
    const runs = feeds[0].missing(drawn);
    if (!runs.length) continue;
    const runsAtOnce = runs.slice(0, SERIES_PER_REQUEST);
    const feedsAtOnce = Math.max(1, Math.floor(SERIES_PER_REQUEST / runsAtOnce.length));
    for (let first = 0; first < feeds.length; first += feedsAtOnce) {
      const together = feeds.slice(first, first + feedsAtOnce);
      yield { key: feeds[0].key, feeds: together, runs: runsAtOnce, stop: new AbortController() };
    }
  }
}

/** @param {Job} job */
async function run(job) {
  jobs.add(job);
  for (const feed of job.feeds) for (const name of job.runs) feed.asking.add(name);
  try {
    const reply = await readScalars(requestOf(job), job.stop.signal);
    deliver(job, reply.series, reply.revision);
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 404) deliver(job, [], 0); // The runs went meanwhile.
    else if (!job.stop.signal.aborted) for (const feed of current(job)) feed.fail(job.runs, /** @type {Error} */ (error));
  } finally {
    jobs.delete(job);
    schedule();
  }
}

/** Fewer points a run when many runs share a chart.
 * @param {number} runs */
const pointsPerRun = (runs) => Math.max(FEWEST_POINTS, Math.min(MOST_POINTS, Math.floor(POINTS_PER_CHART / runs)));

/** @param {Job} job @returns {import("../api/replies.js").ScalarsRequest} */
function requestOf({ feeds, runs }) {
  const { axis, smooth, window } = feeds[0].query;
  return {
    tag: feeds.map((feed) => feed.tag),
    run: runs,
    axis,
    points: pointsPerRun(drawnRuns.peek().length),
    ...(window && { lo: window[0], hi: window[1] }),
    ...(smooth && { smooth: `ema:${smooth}` }),
  };
}

/** @param {Job} job @param {import("../api/replies.js").SeriesReply[]} series @param {number} revision */
function deliver(job, series, revision) {
  const byTag = Map.groupBy(series, (one) => one.tag);
  for (const feed of current(job)) feed.receive(job.runs, (byTag.get(feed.tag) ?? []).map(seriesOf), revision);
}

/** Feeds that still want this job's answer.
 * @param {Job} job */
const current = (job) => job.feeds.filter((feed) => feed.key === job.key);

/** A request nobody in sight waits for any more is not worth its reply. */
function abandonSuperseded() {
  for (const job of jobs) {
    if (current(job).some((feed) => inSight.has(feed))) continue;
    for (const feed of current(job)) for (const name of job.runs) feed.asking.delete(name);
    jobs.delete(job);
    job.stop.abort();
  }
}

/** Asks for runs that come into the drawing. */
export const followDrawnRuns = () =>
  effect(() => {
    drawnRuns.value;
    schedule();
  });
