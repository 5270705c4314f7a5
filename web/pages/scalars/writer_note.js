// The note of a card on lines that contain the points of several programs, which wrote a run at the same time.

import { nameOf } from "../../controls/run_name.js";
import { writerCounts } from "../../data/runs/catalogue.js";
import { t } from "./words.js";

/** Runs that the hint names. */
const MAX_NAMED = 20;

/** @param {import("../../data/series/series.js").Series[]} series of the card @returns {import("./card_status.js").Note[]} */
export function writerNote(series) {
  const together = series.filter(({ run, rank }) => rank === 0 && writerCounts.value.get(run));
  if (!together.length) return [];
  const counts = new Map(together.map(({ run }) => [run, writerCounts.value.get(run) ?? 0]));
  const each = [...counts].slice(0, MAX_NAMED).map(([run, count]) => `${nameOf(run)}: ${t("card.writers", { count })}`);
  return [
    {
      name: "writers",
      level: "notice",
      text: t("card.writers", { count: Math.max(...counts.values()) }),
      hint: [t("card.writers_hint"), ...each].join("\n"),
    },
  ];
}
