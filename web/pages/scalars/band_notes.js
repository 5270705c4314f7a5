// What the bands of a card exclude: runs without a group, places and values that they lack.

import { nameOf } from "../../controls/run_name.js";
import { grouped } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @typedef {import("./card_status.js").Note} Note */
/** @typedef {import("../../data/series/series.js").Series} Series */

/** Runs that a hint names. */
const MAX_NAMED = 20;

/** @param {import("../../controls/lines/line_plot.js").Part[]} parts of the card @returns {Note[]} */
export function bandNotes(parts) {
  if (!parts[0].series.some(({ band }) => band)) return [];
  const { ungrouped } = parts[0].feed;
  const drawn = parts.flatMap(({ series }) => series);
  const notes = [...fewerRuns(drawn), ...somePlaces(drawn)];
  if (ungrouped.length)
    notes.push({
      name: "ungrouped",
      level: "notice",
      text: t("card.ungrouped", { n: grouped(ungrouped.length) }),
      hint: ungrouped.slice(0, MAX_NAMED).map(nameOf).join(", "),
    });
  if (drawn.some(({ band }) => band?.hasNonFinite))
    notes.push({ name: "non_finite", level: "warning", text: t("card.non_finite") });
  return notes;
}

/** Bands that have fewer runs than their group at some x: runs may be shorter, start later, or have gaps.
 * @param {Series[]} drawn @returns {Note[]} */
function fewerRuns(drawn) {
  const fewest = drawn.flatMap(({ run, band }) => {
    const n = band ? band.count.reduce((least, count) => Math.min(least, count), band.most) : 0;
    return band && n < band.most ? [{ run, n, total: band.most }] : [];
  });
  if (!fewest.length) return [];
  const worst = fewest.reduce((a, b) => (b.n / b.total < a.n / a.total ? b : a));
  const each = fewest
    .slice(0, MAX_NAMED)
    .map(({ run, n, total }) => `${run ? nameOf(run) : t("read.all_runs")}: ${t("read.of_runs", { n, total })}`);
  return [
    {
      name: "fewer",
      level: "notice",
      text: t("card.fewer", { n: grouped(worst.n), total: grouped(worst.total) }),
      hint: [t("card.fewer_hint"), ...each].join("\n"),
    },
  ];
}

/** Bands that were not computed at every x.
 * @param {Series[]} drawn @returns {Note[]} */
function somePlaces(drawn) {
  const sparse = drawn.find(({ band, total }) => band && band.aligned < total);
  if (!sparse?.band) return [];
  const places = { n: grouped(sparse.band.aligned), total: grouped(sparse.total) };
  return [{ name: "places", level: "info", text: t("card.places", places), hint: t("card.places_hint") }];
}
