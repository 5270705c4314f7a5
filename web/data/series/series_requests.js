// Requests the series that visible cards miss: many cards in one request, nothing twice, nothing superseded.

import { effect } from "@preact/signals-core";
import { whenAdmitted } from "../client/busy_server.js";
import { RequestError, readGroups, readScalars } from "../client/client.js";
import { RequestQueue, startRequest } from "../client/requests.js";
import { runsByName } from "../runs/catalogue.js";
import { changes, versionOf } from "../runs/run_versions.js";
import { drawnRuns } from "../runs/runs.js";
import { bandOf, seriesOf } from "./series.js";

/** @typedef {import("./card_series.js").Feed} Feed */
/** @typedef {import("./series.js").Series} Series */

/** What one request fetches: the same runs, under the same query, for every feed in it. `versions` are those of the
 * runs.
 * @typedef {{key: string, feeds: Feed[], runs: string[], versions: number[]}} Batch */

/** @typedef {{byTag: Map<string, Series[]>, revision: number, ungrouped: string[]}} Reply */

/** Parsing a reply with more series would block the page. */
const SERIES_PER_REQUEST = 100;
/** Each band costs the server every point of its runs. */
const BANDS_PER_REQUEST = 2;
const REQUESTS_AT_ONCE = 3;
/** Points that a chart may draw of all its runs together, and bounds for one run of them. */
const POINTS_PER_CHART = 20_000;
const MAX_POINTS = 1000;
const FEWEST_POINTS = 200;
/** Attempts of a run that are drawn as separate lines: the last ones. */
const MAX_ATTEMPTS = 12;

/** Feeds of the visible cards. @type {Set<Feed>} */
const visible = new Set();
/** The batches under way, and how to abort each. @type {Map<Batch, () => void>} */
const underWay = new Map();

const queue = new RequestQueue(REQUESTS_AT_ONCE);

/** Schedules a request for what is missing when there is room for it. */
const schedule = () => queue.add(fetchNext);

/** @param {Feed} feed */
export function observeFeed(feed) {
  visible.add(feed);
  schedule();
}

/** @param {Feed} feed */
export function unobserveFeed(feed) {
  visible.delete(feed);
  abortSuperseded();
}

/** The queries of some feeds have changed. */
export function queriesChanged() {
  abortSuperseded();
  schedule();
}

/** @param {Feed[]} feeds whose last request failed */
export function retryFeeds(feeds) {
  for (const feed of feeds) feed.invalidate();
  schedule();
}

/** Fetches again when drawn runs are added or runs have changed, until the returned function is called. */
export const followDrawnRuns = () =>
  effect(() => {
    drawnRuns.value;
    changes.value;
    schedule();
  });

/** @returns {Generator<Batch>} */
function* plannedBatches() {
  const drawn = drawnRuns.peek();
  // An invalid expression fails its request: each has its own.
  const alike = Map.groupBy(visible, (feed) =>
    JSON.stringify([feed.key, feed.isExpression && feed.tag, feed.missing(drawn)]),
  );
  for (const feeds of alike.values()) {
    const missing = feeds[0].missing(drawn);
    if (!missing.length) continue;
    const isGrouped = feeds[0].query.grouped !== null;
    const runs = isGrouped ? missing : missing.slice(0, SERIES_PER_REQUEST);
    const feedsAtOnce = isGrouped ? BANDS_PER_REQUEST : Math.max(1, Math.floor(SERIES_PER_REQUEST / runs.length));
    for (let first = 0; first < feeds.length; first += feedsAtOnce) {
      const batch = feeds.slice(first, first + feedsAtOnce);
      yield { key: feeds[0].key, feeds: batch, runs, versions: runs.map(versionOf) };
    }
  }
}

async function fetchNext() {
  const [batch] = plannedBatches();
  if (!batch) return;
  schedule(); // For the next batch.
  for (const feed of batch.feeds) feed.begin(batch.runs);
  const read = batch.feeds[0].query.grouped ? readBands : readSeries;
  const { done, abort } = startRequest((signal) => whenAdmitted(() => read(batch, signal), signal), {
    loaded: (reply) => deliver(batch, reply),
    failed: (error) => {
      // The runs, in the meantime; an expression may also have a tag that no run has.
      const areDeleted = error instanceof RequestError && error.status === 404 && !batch.feeds[0].isExpression;
      if (areDeleted) deliver(batch, { byTag: new Map(), revision: 0, ungrouped: [] });
      else for (const feed of current(batch)) feed.fail(batch.runs, batch.versions, error);
    },
  });
  underWay.set(batch, abort);
  await done;
  underWay.delete(batch);
  schedule(); // For what became stale in the meantime.
}

/** @param {Batch} batch @param {Reply} reply */
function deliver(batch, { byTag, revision, ungrouped }) {
  for (const feed of current(batch))
    feed.receive(batch.runs, batch.versions, byTag.get(feed.tag) ?? [], revision, ungrouped);
}

/** Feeds that still have the query of this batch. @param {Batch} batch */
const current = (batch) => batch.feeds.filter((feed) => feed.key === batch.key);

/** Aborts the requests whose reply no visible card would draw. */
function abortSuperseded() {
  for (const [batch, abort] of underWay) {
    if (current(batch).some((feed) => visible.has(feed))) continue;
    for (const feed of current(batch)) feed.cancel(batch.runs);
    underWay.delete(batch);
    abort();
  }
}

/** Of series that the cards have, the reply contains only what is new.
 * @param {Batch} batch @param {AbortSignal} signal @returns {Promise<Reply>} */
async function readSeries(batch, signal) {
  const request = requestOf(batch);
  const held = heldSeries(batch);
  const replies = await Promise.all(
    attemptsOf(batch).map((attempt) => {
      const cursor = [...held.values()]
        .filter((each) => (each.attempt ?? 0) === attempt)
        .map(({ cursor = "" }) => cursor);
      return readScalars({ ...request, ...(attempt && { attempt }), ...(cursor.length && { cursor }) }, signal);
    }),
  );
  const byTag = Map.groupBy(
    replies.flatMap((reply) => reply.series),
    ({ tag }) => tag,
  );
  const joined = (/** @type {import("../client/api_types.js").SeriesReply} */ reply) =>
    seriesOf(reply, held.get(nameOf(reply.tag, reply)));
  return {
    byTag: new Map([...byTag].map(([tag, series]) => [tag, series.map(joined)])),
    revision: replies[0].revision,
    ungrouped: [],
  };
}

/** The series that the feeds of a batch have now, by name. @param {Batch} batch */
function heldSeries({ feeds, runs }) {
  return new Map(feeds.flatMap((feed) => feed.held(runs).map((series) => [nameOf(feed.tag, series), series])));
}

/** @param {string} tag @param {{run: string, rank?: number, attempt?: number | null}} series */
const nameOf = (tag, { run, rank, attempt }) => JSON.stringify([tag, run, rank, attempt]);

/** @param {Batch} batch @param {AbortSignal} signal @returns {Promise<Reply>} */
async function readBands(batch, signal) {
  const { grouped, attempt } = batch.feeds[0].query;
  const { how } = /** @type {NonNullable<typeof grouped>} */ (grouped);
  const { run: _, ...rest } = requestOf(batch);
  const run = batch.runs;
  if (how.groups && !Object.keys(how.groups).length) return { byTag: new Map(), revision: 0, ungrouped: run };
  const request = {
    ...rest,
    ...(!how.groups && { run }),
    ...how,
    points: MAX_POINTS,
    ...(Number(attempt) && { attempt: Number(attempt) }),
  };
  const { groups, revision, ungrouped } = await readGroups(request, signal);
  const byTag = Map.groupBy(groups, ({ tag }) => tag);
  const inGroups = new Set(Object.values(how.groups ?? {}).flat());
  return {
    byTag: new Map([...byTag].map(([tag, bands]) => [tag, bands.map((band) => bandOf(band, how))])),
    revision,
    ungrouped: how.groups ? run.filter((each) => !inGroups.has(each)) : ungrouped,
  };
}

/** The attempts to fetch separately; 0 = stitched. @param {Batch} batch */
function attemptsOf({ feeds, runs }) {
  const { attempt } = feeds[0].query;
  if (attempt !== "all") return [Number(attempt)];
  const last = Math.max(1, ...runs.map((run) => runsByName.peek().get(run)?.attempts ?? 1));
  const count = Math.min(last, MAX_ATTEMPTS);
  return Array.from({ length: count }, (_, place) => last - count + 1 + place);
}

/** Fewer points per line when many lines share a chart.
 * @param {import("./card_series.js").Query} query */
function pointsPerLine({ rank, attempt }) {
  let lines = 0;
  for (const run of drawnRuns.peek()) {
    const row = runsByName.peek().get(run);
    lines += (rank === "all" ? (row?.ranks.length ?? 1) : 1) * (attempt === "all" ? (row?.attempts ?? 1) : 1);
  }
  return Math.max(FEWEST_POINTS, Math.min(MAX_POINTS, Math.floor(POINTS_PER_CHART / lines)));
}

/** All columns, as the read-out shows the wall time of every line at the pointer at once.
 * @param {Batch} batch @returns {import("../client/api_types.js").ScalarsRequest} */
function requestOf({ feeds, runs }) {
  const { query, isExpression } = feeds[0];
  const { axis, smooth, window, scale, rank, x, join, rate } = query;
  const names = [...new Set(feeds.map((feed) => feed.tag))];
  return {
    tag: isExpression ? [] : names,
    ...(isExpression && { expr: names, join, rate }),
    ...(x && { x, join }),
    run: runs,
    axis,
    points: pointsPerLine(feeds[0].query),
    ...(window && { lo: window[0], hi: window[1] }),
    ...(scale === "log" && { scale }),
    ...(smooth && { smooth }),
    ...(rank && { rank: rank === "all" ? rank : Number(rank) }),
  };
}
