// Names of values of runs: "best:loss", "last:loss", "min:loss", "max:loss", "param:lr".

export const STATISTICS = /** @type {const} */ (["best", "last", "min", "max", "param"]);
/** @typedef {{statistic: (typeof STATISTICS)[number], name: string}} ColumnName */

/** @param {unknown} text @returns {ColumnName | null} null = none is chosen */
export function parseColumn(text) {
  const [, statistic, name] = /^(best|last|min|max|param):(.+)$/s.exec(typeof text === "string" ? text : "") ?? [];
  return name ? { statistic: /** @type {ColumnName["statistic"]} */ (statistic), name } : null;
}

/** @param {ColumnName} column */
export const printColumn = ({ statistic, name }) => `${statistic}:${name}`;
