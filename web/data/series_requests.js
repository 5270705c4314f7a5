// Asks the server for what the visible cards miss: many cards in one request, nothing twice, nothing superseded.

import { effect } from "@preact/signals-core";
import { runsByName } from "./catalogue.js";
import { RefusedRequest, readGroups, readScalars } from "./client.js";
import { drawnRuns } from "./runs.js";
import { bandOf, seriesOf } from "./series.js";

/** @typedef {import("./card_series.js").Feed} Feed */

/** One request: every feed in it has the same query and misses the same runs.
 * @typedef {{key: string, feeds: Feed[], runs: string[], stop: AbortController}} Job */

/** Series a request may ask for: a larger reply would hold up the page while it is parsed. */
const SERIES_PER_REQUEST = 100;
/** Tags whose bands a request asks for: each costs the server every point of its runs. */
const BANDS_PER_REQUEST = 2;
const REQUESTS_AT_ONCE = 3;
/** Points a chart may draw of all its runs together, and bounds for one run of them. */
const POINTS_PER_CHART = 20_000;
const MOST_POINTS = 1000;
const FEWEST_POINTS = 200;
/** Attempts of a run that are drawn one by one: the last so many. */
const MOST_ATTEMPTS = 12;

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
function schedule() {
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
    const isWhole = feeds[0].query.grouped !== null;
    const runsAtOnce = isWhole ? runs : runs.slice(0, SERIES_PER_REQUEST);
    const feedsAtOnce = isWhole ? BANDS_PER_REQUEST : Math.max(1, Math.floor(SERIES_PER_REQUEST / runsAtOnce.length));
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
    const { series, revision, ungrouped = [] } = await (job.feeds[0].query.grouped ? readBands(job) : readSeries(job));
    deliver(job, series, revision, ungrouped);
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 404)
      deliver(job, new Map(), 0, []); // The runs went meanwhile.
    else if (!job.stop.signal.aborted)
      for (const feed of current(job)) feed.fail(job.runs, /** @type {Error} */ (error));
  } finally {
    jobs.delete(job);
    schedule();
  }
}

/** Series by tag. @typedef {{series: Map<string, import("./series.js").Series[]>, revision: number, ungrouped?: string[]}} Came */

/** @param {Job} job @returns {Promise<Came>} */
async function readSeries(job) {
  const request = requestOf(job);
  const attempts = attemptsOf(job);
  const replies = await Promise.all(
    attempts.map((attempt) => readScalars({ ...request, ...(attempt && { attempt }) }, job.stop.signal)),
  );
  const several = replies.flatMap((reply) => reply.series);
  const byTag = Map.groupBy(several, (one) => one.tag);
  return {
    series: new Map([...byTag].map(([tag, series]) => [tag, series.map(seriesOf)])),
    revision: replies[0].revision,
  };
}

/** @param {Job} job @returns {Promise<Came>} */
async function readBands(job) {
  const { grouped, attempt } = job.feeds[0].query;
  const how = /** @type {NonNullable<typeof grouped>} */ (grouped).how;
  const request = {
    ...requestOf(job),
    ...how,
    points: MOST_POINTS,
    ...(Number(attempt) && { attempt: Number(attempt) }),
  };
  const { groups, revision, ungrouped } = await readGroups(request, job.stop.signal);
  const byTag = Map.groupBy(groups, (one) => one.tag);
  return { series: new Map([...byTag].map(([tag, bands]) => [tag, bands.map(bandOf)])), revision, ungrouped };
}

/** The attempts to ask for one by one; 0 = stitched together.
 * @param {Job} job */
function attemptsOf({ feeds, runs }) {
  const { attempt } = feeds[0].query;
  if (attempt !== "all") return [Number(attempt)];
  const most = Math.max(1, ...runs.map((run) => runsByName.peek().get(run)?.attempts ?? 1));
  return Array.from({ length: Math.min(most, MOST_ATTEMPTS) }, (_, place) => most - place).reverse();
}

/** Fewer points a line when many lines share a chart.
 * @param {import("./card_series.js").Query} query */
function pointsPerLine({ rank, attempt }) {
  let lines = 0;
  for (const run of drawnRuns.peek()) {
    const row = runsByName.peek().get(run);
    lines += (rank === "all" ? (row?.ranks.length ?? 1) : 1) * (attempt === "all" ? (row?.attempts ?? 1) : 1);
  }
  return Math.max(FEWEST_POINTS, Math.min(MOST_POINTS, Math.floor(POINTS_PER_CHART / lines)));
}

/** @param {Job} job @returns {import("./replies.js").ScalarsRequest} */
function requestOf({ feeds, runs }) {
  const { axis, smooth, window, scale, rank } = feeds[0].query;
  return {
    tag: feeds.map((feed) => feed.tag),
    run: runs,
    axis,
    points: pointsPerLine(feeds[0].query),
    ...(window && { lo: window[0], hi: window[1] }),
    ...(scale === "log" && { scale }),
    ...(smooth && { smooth }),
    ...(rank && { rank: rank === "all" ? rank : Number(rank) }),
  };
}

/** @param {Job} job @param {Came["series"]} series by tag @param {number} revision @param {string[]} ungrouped */
function deliver(job, series, revision, ungrouped) {
  for (const feed of current(job)) feed.receive(job.runs, series.get(feed.tag) ?? [], revision, ungrouped);
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
