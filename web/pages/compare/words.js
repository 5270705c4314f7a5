// The words of the compare page, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "compare.runs": "Runs that are compared",
  "compare.choose": "Choose runs",
  "compare.take_out": "Take out of the comparison",
  "compare.none": "No run is chosen.",
  "compare.none_more":
    "Switch runs on in the list or tick them in the table of the overview; up to eight stand side by side.",
  "compare.left_out":
    "The first {shown} of the chosen runs; {n} more does not fit: choose fewer.|The first {shown} of the chosen runs; {n} more do not fit: choose fewer.",
  "compare.counts": "{different} different, {equal} equal",
  "compare.equal": "{n} equal row|{n} equal rows",
  "compare.missing": "Not recorded in this run",
  "compare.whole": "Show the values from end to end, or only where they differ",
  "compare.cut": "cut here",
  "compare.absent": "{n} run does not have it|{n} runs do not have it",
  "compare.tag_of": "Tag: {kind}",
  "compare.scalar": "Scalars",
  "compare.histogram": "Histograms",
  "compare.image": "Images",
  "compare.tensor": "Tensors",
  "compare.text": "Texts",
  "compare.metrics": "Metrics, model and data",
  "compare.graph": "Graphs",
  "compare.operations": "Operations",
  "compare.graph_source": "Made by",
  "compare.graph_nodes": "Nodes",
  "compare.graph_edges": "Edges",
  "compare.graph_depth": "Depth of scopes",
  "compare.graph_operators": "Operators",
  "compare.graph_parameters": "Parameters",
  "compare.graph_elements": "Elements of parameters",
  "compare.landscape": "Loss landscapes",
  "compare.landscape_own": "The last of each run",
  "compare.landscape_open": "Open on the landscape page",
  "compare.log": "logarithmic",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "compare.runs": "参与对比的运行",
  "compare.choose": "选择运行",
  "compare.take_out": "移出对比",
  "compare.none": "尚未选择运行。",
  "compare.none_more": "请在运行列表中打开，或在总览表格中勾选；最多并排对比八个运行。",
  "compare.left_out": "仅对比所选的前 {shown} 个运行，另有 {n} 个未显示：请减少所选。",
  "compare.counts": "{different} 项不同，{equal} 项相同",
  "compare.equal": "{n} 行相同",
  "compare.missing": "此运行没有记录",
  "compare.whole": "显示完整的值，或仅显示不同之处",
  "compare.cut": "后文已截断",
  "compare.absent": "{n} 个运行没有此标签",
  "compare.tag_of": "标签：{kind}",
  "compare.scalar": "标量",
  "compare.histogram": "直方图",
  "compare.image": "图像",
  "compare.tensor": "张量",
  "compare.text": "文本",
  "compare.metrics": "指标、模型与数据",
  "compare.graph": "计算图",
  "compare.operations": "算子",
  "compare.graph_source": "来源",
  "compare.graph_nodes": "节点数",
  "compare.graph_edges": "边数",
  "compare.graph_depth": "作用域深度",
  "compare.graph_operators": "算子数",
  "compare.graph_parameters": "参数数",
  "compare.graph_elements": "参数元素总数",
  "compare.landscape": "损失地形",
  "compare.landscape_own": "各运行的最后一个",
  "compare.landscape_open": "在地形页面中打开",
  "compare.log": "对数",
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
