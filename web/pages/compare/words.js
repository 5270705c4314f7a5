// The words of the compare page, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "compare.runs": "Compared runs",
  "compare.choose": "Select runs",
  "compare.take_out": "Remove",
  "compare.none": "No runs selected.",
  "compare.none_more": "Select runs in the run list or in the overview table. Up to eight are compared side by side.",
  "compare.left_out": "Showing {shown} of {total} selected runs. Remove some to see others.",
  "compare.counts": "{different} different, {equal} equal",
  "compare.equal": "{n} equal row|{n} equal rows",
  "compare.missing": "Not recorded in this run",
  "compare.whole": "Show full values, or only the parts that differ",
  "compare.cut": "truncated",
  "compare.absent": "Missing in {n} run|Missing in {n} runs",
  "compare.tag_of": "Tag: {kind}",
  "compare.scalar": "Scalars",
  "compare.histogram": "Histograms",
  "compare.image": "Images",
  "compare.tensor": "Tensors",
  "compare.text": "Text",
  "compare.metrics": "Metrics, model and data",
  "compare.graph": "Graphs",
  "compare.operations": "Operations",
  "compare.graph_source": "Source",
  "compare.graph_nodes": "Nodes",
  "compare.graph_edges": "Edges",
  "compare.graph_depth": "Scope depth",
  "compare.graph_operators": "Operators",
  "compare.graph_parameters": "Parameters",
  "compare.graph_elements": "Parameter elements",
  "compare.landscape": "Loss landscapes",
  "compare.landscape_own": "Latest of each run",
  "compare.landscape_open": "Open on the Landscape page",
  "compare.log": "log scale",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "compare.runs": "参与对比的运行",
  "compare.choose": "选择运行",
  "compare.take_out": "移除",
  "compare.none": "尚未选择运行。",
  "compare.none_more": "请在运行列表或总览表格中选择运行，最多并排对比八个。",
  "compare.left_out": "显示所选 {total} 个运行中的 {shown} 个。移除部分运行可查看其他运行。",
  "compare.counts": "{different} 项不同，{equal} 项相同",
  "compare.equal": "{n} 行相同",
  "compare.missing": "此运行没有记录",
  "compare.whole": "显示完整的值，或仅显示不同之处",
  "compare.cut": "已截断",
  "compare.absent": "{n} 个运行缺失",
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
  "compare.log": "对数刻度",
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
