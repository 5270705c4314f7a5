// The feeds of a line chart: one for each tag and expression.

import { effect } from "@preact/signals-core";
import { Feed } from "../../../data/series/card_series.js";
import { observeFeed, queriesChanged, unobserveFeed } from "../../../data/series/series_requests.js";

/** @typedef {import("../model/line_sources.js").Source} Source */

/** Keeps its feeds, so that a tag that is removed and added again is drawn immediately. */
export class LineFeeds {
  /** @type {Map<string, Feed>} */
  #feeds = new Map();
  /** That of the baseline, by source. @type {Map<string, Feed>} */
  #baselines = new Map();

  /** @param {Source} source */
  of({ name, isExpression }) {
    const key = `${isExpression} ${name}`;
    const feed = this.#feeds.get(key) ?? new Feed(name, isExpression);
    this.#feeds.set(key, feed);
    return feed;
  }

  /** The series of the baseline, which is not drawn as a run. @param {Source} source */
  baselineOf({ name, isExpression }) {
    const key = `${isExpression} ${name}`;
    const feed = this.#baselines.get(key) ?? new Feed(name, isExpression);
    this.#baselines.set(key, feed);
    return feed;
  }

  /** Fetches the baseline of a source until the returned function is called.
   * @param {() => Source | null} source null = none @param {() => string} run
   * @param {() => import("../../../data/series/card_series.js").Query} query read in an effect */
  followBaseline(source, run, query) {
    const end = effect(() => {
      const shown = source();
      const feed = shown && run() ? this.baselineOf(shown) : null;
      for (const other of this.#baselines.values()) if (other !== feed) unobserveFeed(other);
      if (!feed) return;
      feed.runs = [run()];
      const isChanged = feed.setQuery({ ...query(), grouped: null });
      observeFeed(feed);
      if (isChanged) queriesChanged();
    });
    return () => {
      end();
      for (const feed of this.#baselines.values()) unobserveFeed(feed);
    };
  }

  /** Fetches until the returned function is called.
   * @param {() => Source[]} sources @param {() => import("../../../data/series/card_series.js").Query} query read in an effect
   */
  follow(sources, query) {
    const end = effect(() => {
      const shown = new Set(sources().map((source) => this.of(source)));
      const changed = [...shown].map((feed) => feed.setQuery(query()));
      for (const feed of this.#feeds.values()) if (!shown.has(feed)) unobserveFeed(feed);
      for (const feed of shown) observeFeed(feed);
      if (changed.some(Boolean)) queriesChanged();
    });
    return () => {
      end();
      for (const feed of this.#feeds.values()) unobserveFeed(feed);
    };
  }

  drop() {
    this.#feeds.clear();
    this.#baselines.clear();
  }
}
