// Values and names of columns as text.

import { plainText, shortNumber } from "../../../i18n/numbers.js";
import { t } from "../words.js";

/** @param {import("../../../data/text/value_filter.js").Value} value */
export const valueText = (value) =>
  value === null ? "–" : typeof value === "number" ? shortNumber(value, 6) : plainText(value);

/** "best loss", "lr". @param {import("../model/column_names.js").ColumnName} column */
export const columnText = ({ statistic, name }) =>
  statistic === "param" ? name : t("ws.column_of", { statistic: t(`ws.statistic_${statistic}`), name });
