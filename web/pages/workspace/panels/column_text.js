// Names of columns as text.

import { t } from "../words.js";

/** "best loss", "lr". @param {import("../model/column_names.js").ColumnName} column */
export const columnText = ({ statistic, name }) =>
  statistic === "param" ? name : t("ws.column_of", { statistic: t(`ws.statistic_${statistic}`), name });
