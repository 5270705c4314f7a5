// The tags of one card: its own, and those that share its chart. Each has its feed.

import { computed, effect } from "@preact/signals-core";
import { Feed } from "../../data/card_series.js";
import { feeds } from "../../data/live.js";
import { companions } from "../../data/scalar_view.js";
import { follow, leave } from "../../data/series_requests.js";
import { drawnSeries } from "./card_model.js";

/** Remembers the feeds of a card, so that a tag that leaves the chart and comes back is there at once. */
export class CardParts {
  /** @type {Map<string, Feed>} */
  #feeds = new Map();

  /** @param {string} tag of the card */
  constructor(tag) {
    this.tag = tag;
    /** The card's own tag first, every tag once. */
    this.tags = computed(() => {
      const others = (companions.value.get(tag) ?? []).filter(
        (one, place, all) => one.tag !== tag && all.findIndex((other) => other.tag === one.tag) === place,
      );
      return [{ tag, side: /** @type {"left" | "right"} */ ("left") }, ...others];
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
    feeds.add(feed);
    return feed;
  }

  /** Asks for what the chart shows until the returned function is called. */
  follow() {
    const end = effect(() => {
      const names = new Set(this.tags.value.map(({ tag }) => tag));
      for (const [name, feed] of this.#feeds) if (!names.has(name)) leave(feed);
      for (const name of names) follow(this.feedOf(name));
    });
    return () => {
      end();
      for (const feed of this.#feeds.values()) leave(feed);
    };
  }

  drop() {
    for (const feed of this.#feeds.values()) feeds.delete(feed);
    this.#feeds.clear();
  }
}
