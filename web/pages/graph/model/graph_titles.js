// The titles of the graphs of a run: each with what distinguishes it from the others.

import { grouped } from "../../../i18n/numbers.js";
import { wallTime } from "../../../i18n/times.js";
import { t } from "../words.js";

/** @typedef {import("../../../data/kinds/graphs.js").GraphRow} GraphRow */

/** Returns a title for each graph; no two are equal. @param {readonly GraphRow[]} rows */
export function titlesOf(rows) {
  const differs = (/** @type {(row: GraphRow) => unknown} */ of) => rows.some((row) => of(row) !== of(rows[0]));
  const [hasRanks, hasSteps] = [differs(({ rank }) => rank), differs(({ step }) => step)];
  const titles = rows.map((row) => [
    row.name,
    row.source,
    hasRanks && t("card.rank", { rank: row.rank }),
    hasSteps && t("step.at", { step: grouped(row.step) }),
    row.problem !== null && t("graph.damaged"),
  ]);
  /** What is added, one after the other, to titles that are equal. @type {Array<(row: GraphRow, at: number) => string>} */
  const further = [
    ({ nodes }) => (nodes === null ? "" : t("graph.nodes", { n: nodes === 1 ? 1 : grouped(nodes) })),
    ({ wall_time: time }) => (typeof time === "number" ? wallTime(time) : ""),
    (_, at) => `#${at + 1}`,
  ];
  const texts = () => titles.map((parts) => parts.filter(Boolean).join(" · "));
  for (const more of further) {
    const before = texts();
    const equal = Map.groupBy(rows.keys(), (at) => before[at]);
    for (const places of equal.values()) {
      const added = places.map((at) => more(rows[at], at));
      if (new Set(added).size > 1) for (const [index, at] of places.entries()) titles[at].push(added[index]);
    }
  }
  return texts();
}
