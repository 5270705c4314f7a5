// The tags of one card, its own and those that share its chart, with their feeds.

import { computed, effect } from "@preact/signals-core";
import { drawnSeries } from "../../controls/lines/line_plot.js";
import { baseline } from "../../data/runs/baseline.js";
import { drawnRuns } from "../../data/runs/runs.js";
import { Feed } from "../../data/series/card_series.js";
import { bands, companions } from "../../data/series/scalar_view.js";
import { observeFeed, unobserveFeed } from "../../data/series/series_requests.js";

/** The baseline, unless it is drawn as a run of its own; "" = none. */
const hiddenBaseline = computed(() => (bands.value || !drawnRuns.value.includes(baseline.value) ? baseline.value : ""));

/** Keeps the feeds of a card, so that a tag that is removed and added again is drawn immediately. */
export class CardParts {
  /** @type {Map<string, Feed>} */
  #feeds = new Map();

  /** @param {string} tag of the card */
  constructor(tag) {
    this.tag = tag;
    this.baselineFeed = new Feed(tag);
    /** The card's own tag first, every tag once. */
    this.tags = computed(() => {
      const others = (companions.value.get(tag) ?? []).filter(
        (companion, place, all) =>
          companion.tag !== tag && all.findIndex((other) => other.tag === companion.tag) === place,
      );
      return [{ tag, side: /** @type {"left" | "right"} */ ("left") }, ...others];
    });
    /** The baseline's series of the card's tag, if the baseline is not drawn as a run. */
    this.baseline = computed(() => {
      const run = hiddenBaseline.value;
      if (!run) return null;
      const feed = this.baselineFeed;
      feed.version.value;
      return { tag, side: /** @type {"left" | "right"} */ ("left"), feed, series: feed.series.get(run) ?? [] };
    });
    this.all = computed(() =>
      this.tags.value.map(({ tag: name, side }) => {
        const feed = this.feedOf(name);
        return { tag: name, side, feed, series: drawnSeries(feed) };
      }),
    );
  }

  /** @param {string} tag */
  feedOf(tag) {
    const known = this.#feeds.get(tag);
    if (known) return known;
    const feed = new Feed(tag);
    this.#feeds.set(tag, feed);
    return feed;
  }

  /** Fetches what the chart shows until the returned function is called. */
  follow() {
    const end = effect(() => {
      const names = new Set(this.tags.value.map(({ tag }) => tag));
      for (const [name, feed] of this.#feeds) if (!names.has(name)) unobserveFeed(feed);
      for (const name of names) observeFeed(this.feedOf(name));
    });
    const endBaseline = effect(() => {
      const run = hiddenBaseline.value;
      this.baselineFeed.runs = run ? [run] : [];
      if (run) observeFeed(this.baselineFeed);
      else unobserveFeed(this.baselineFeed);
    });
    return () => {
      end();
      endBaseline();
      unobserveFeed(this.baselineFeed);
      for (const feed of this.#feeds.values()) unobserveFeed(feed);
    };
  }

  drop() {
    this.#feeds.clear();
    this.baselineFeed = new Feed(this.tag);
  }
}
