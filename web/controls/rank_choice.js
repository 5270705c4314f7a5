// The selection of rank and attempt in a toolbar, and the note in a card on the ones it shows.

import { html, nothing } from "lit-html";
import { runsByName } from "../data/catalogue.js";
import { set } from "../data/view.js";
import { t } from "../i18n/words.js";
import { select } from "./choice.js";

/** @typedef {import("../data/ranks.js").RankChoice} RankChoice */

/** More ranks or attempts can only be selected in the URL. */
const MOST_OFFERED = 64;

/** Empty if no drawn run has several.
 * @param {RankChoice} ranks */
export const rankChoice = (ranks) => html`
  ${which(ranks, "rank", ranks.rank.value, ranks.ranks.value, "bar.rank_lowest")}
  ${which(ranks, "attempt", ranks.attempt.value, ranks.attempts.value, "bar.attempt_stitched")}`;

/** @param {RankChoice} ranks @param {"rank" | "attempt"} name @param {string} chosen @param {number[]} offered
 * @param {"bar.rank_lowest" | "bar.attempt_stitched"} byDefault */
function which({ page, allowsAll }, name, chosen, offered, byDefault) {
  if (!offered.length && !chosen) return nothing;
  const numbers = [
    ...new Set([
      ...offered.slice(0, MOST_OFFERED).map(String),
      ...(Number.isNaN(Number(chosen || "all")) ? [] : [chosen]),
    ]),
  ];
  const single = numbers.map((n) => /** @type {[string, string]} */ ([n, t(`card.${name}`, { [name]: n })]));
  const all = /** @type {Array<[string, string]>} */ (allowsAll ? [["all", t(`bar.${name}_all`)]] : []);
  return select(name, t(`bar.${name}`), [["", t(byDefault)], ...all, ...single], chosen, (value) =>
    set({ [`${page}.${name}`]: value }),
  );
}

/** "rank 2 · attempt 1", without what is the default: the lowest rank, stitched attempts.
 * @param {{run: string, rank?: number | null, attempt?: number | string | null}} shown */
function rankText({ run, rank = null, attempt = null }) {
  const row = runsByName.value.get(run);
  const isUsual = rank === null || rank === Math.min(...(row?.ranks ?? [rank]));
  const isWhole = attempt === null || (row?.attempts ?? 1) === 1;
  return [isUsual ? "" : t("card.rank", { rank }), isWhole ? "" : t("card.attempt", { attempt })]
    .filter(Boolean)
    .join(" · ");
}

/** The same for the listing of a card.
 * @param {import("../data/listing.js").Listing} listing */
export function rankNote({ reply, query }) {
  const isEmpty = reply.value?.total === 0; // The card shows the reason.
  const text = isEmpty ? "" : rankText(reply.value ?? query ?? { run: "" });
  return text ? html`<span class="meta rank-note" data-note="rank">${text}</span>` : nothing;
}

/** The reason why a listing is empty if a rank or attempt is selected; "" for any other reason.
 * @param {import("../data/listing.js").Listing} listing */
export function noneForRank({ reply, query }) {
  if (!reply.value || reply.value.total || (query?.rank === undefined && query?.attempt === undefined)) return "";
  const { rank, attempt } = query;
  const texts = [
    rank === undefined ? "" : t("card.rank", { rank }),
    attempt === undefined ? "" : t("card.attempt", { attempt }),
  ];
  return t("card.nothing_of", { which: texts.filter(Boolean).join(" · ") });
}
