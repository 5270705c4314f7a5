// The selection of rank and attempt in a toolbar, and the note in a card on the ones it shows.

import { html, nothing } from "lit-html";
import { runsByName } from "../data/runs/catalogue.js";
import { set } from "../data/view/view.js";
import { t } from "../i18n/words.js";
import { select } from "./choice.js";
import { option } from "./view_menu.js";

/** @typedef {import("../data/runs/ranks.js").RankChoice} RankChoice */

/** More ranks or attempts can only be selected in the URL. */
const MAX_OFFERED = 64;

const RANK_WORDS = /** @type {const} */ (["bar.rank", "bar.rank_lowest", "bar.rank_all", "card.rank"]);
const WRITER_WORDS = /** @type {const} */ (["bar.writer", "bar.writer_all", "bar.writer_each", "card.writer"]);
const ATTEMPT_WORDS = /** @type {const} */ (["bar.attempt", "bar.attempt_stitched", "bar.attempt_all", "card.attempt"]);

/** Empty if no drawn run has several.
 * @param {RankChoice} ranks */
export const rankChoice = (ranks) => html`
  ${
    ranks.areWriters.value
      ? which(ranks, "rank", ranks.rank.value, ranks.ranks.value.slice(1), WRITER_WORDS)
      : which(ranks, "rank", ranks.rank.value, ranks.ranks.value, RANK_WORDS)
  }
  ${which(ranks, "attempt", ranks.attempt.value, ranks.attempts.value, ATTEMPT_WORDS)}`;

/** The same as a row of the settings of a view. @param {RankChoice} ranks */
export const rankOption = (ranks) =>
  ranks.ranks.value.length || ranks.attempts.value.length || ranks.rank.value || ranks.attempt.value
    ? option(t("bar.points_of"), html`<span class="option-selects">${rankChoice(ranks)}</span>`)
    : nothing;

/** @param {RankChoice} ranks @param {"rank" | "attempt"} name @param {string} chosen @param {number[]} offered
 * @param {typeof RANK_WORDS | typeof WRITER_WORDS | typeof ATTEMPT_WORDS} words */
function which({ page, allowsAll }, name, chosen, offered, [label, byDefault, every, single]) {
  if (!offered.length && !chosen) return nothing;
  const numbers = [
    ...new Set([
      ...offered.slice(0, MAX_OFFERED).map(String),
      ...(Number.isNaN(Number(chosen || "all")) ? [] : [chosen]),
    ]),
  ];
  const ones = numbers.map((n) => /** @type {[string, string]} */ ([n, t(single, { [single.slice(5)]: n })]));
  const all = /** @type {Array<[string, string]>} */ (allowsAll ? [["all", t(every)]] : []);
  return select(name, t(label), [["", t(byDefault)], ...all, ...ones], chosen, (value) =>
    set({ [`${page}.${name}`]: value }),
  );
}

/** "rank 2 · attempt 1", without what is the default: the lowest rank, stitched attempts; "3 writers" or "writer 2" if the
 * run has writers in place of ranks.
 * @param {{run: string, rank?: number | null, attempt?: number | string | null}} shown */
function rankText({ run, rank = null, attempt = null }) {
  const row = runsByName.value.get(run);
  const isUsual = rank === null || rank === Math.min(...(row?.ranks ?? [rank]));
  const who = row?.writers ? writerText(row.writers, rank) : isUsual ? "" : t("card.rank", { rank });
  const isWhole = attempt === null || (row?.attempts ?? 1) === 1;
  return [who, isWhole ? "" : t("card.attempt", { attempt })].filter(Boolean).join(" · ");
}

/** @param {number} writers @param {number | null} rank */
const writerText = (writers, rank) =>
  rank ? t("card.writer", { writer: rank }) : t("card.writers", { count: writers });

/** The same for the listing of a card.
 * @param {import("../data/tags/listing.js").Listing} listing */
export function rankNote({ reply, query }) {
  const isEmpty = reply.value?.total === 0; // The card shows the reason.
  const text = isEmpty ? "" : rankText(reply.value ?? query ?? { run: "" });
  return text ? html`<span class="meta rank-note" data-note="rank">${text}</span>` : nothing;
}

/** The reason why a listing is empty if a rank or attempt is selected; "" for any other reason.
 * @param {import("../data/tags/listing.js").Listing} listing */
export function noneForRank({ reply, query }) {
  if (!reply.value || reply.value.total || (query?.rank === undefined && query?.attempt === undefined)) return "";
  const { rank, attempt } = query;
  const texts = [
    rank === undefined ? "" : t("card.rank", { rank }),
    attempt === undefined ? "" : t("card.attempt", { attempt }),
  ];
  return t("card.nothing_of", { which: texts.filter(Boolean).join(" · ") });
}
