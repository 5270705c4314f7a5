// The words of the search box, in English and Chinese.

import { translator } from "../../i18n/text.js";

export const en = {
  "search.label": "Search runs",
  "search.invalid": "{reason}. The last valid search is applied.",
  "search.unknown": "No run has: {names}",
  "search.help": "Search syntax",
  "search.clear": "Clear the search",
  "search.options": "Completions",
  "search.runs": "{n} run|{n} runs",
  "search.field": "field",
  "search.parameter": "hyperparameter",
  "search.metric": "tag",
  "search.value": "value",
  "search.ex_text": "part of a name, alias or label; * is any text",
  "search.ex_regex": "regular expression in names, aliases and labels",
  "search.ex_label": "with this label",
  "search.ex_state": "in this state: running, finished, failed, …",
  "search.ex_is": "archived, hidden, live or damaged",
  "search.ex_param": "by hyperparameter",
  "search.ex_metric": "by the last, smallest or largest value of a tag",
  "search.ex_time": "by start, last update or duration",
  "search.ex_not": "without the term that follows",
  "search.ex_or": "one of several; a space means “and”",
  "search.more": "Put names with spaces in quotes. Click an example to insert it.",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "search.label": "搜索运行",
  "search.invalid": "{reason}。仍使用上一次有效的搜索。",
  "search.unknown": "没有运行包含：{names}",
  "search.help": "搜索语法",
  "search.clear": "清除搜索",
  "search.options": "补全",
  "search.runs": "{n} 个运行",
  "search.field": "字段",
  "search.parameter": "超参数",
  "search.metric": "标签",
  "search.value": "值",
  "search.ex_text": "名称、别名或标记的一部分；* 代表任意文本",
  "search.ex_regex": "在名称、别名和标记中匹配正则表达式",
  "search.ex_label": "带有此标记",
  "search.ex_state": "处于此状态：running、finished、failed 等",
  "search.ex_is": "archived、hidden、live 或 damaged",
  "search.ex_param": "按超参数",
  "search.ex_metric": "按标签的最新、最小或最大值",
  "search.ex_time": "按开始时间、最近更新或时长",
  "search.ex_not": "不满足后面的条件",
  "search.ex_or": "满足其一；空格表示“并且”",
  "search.more": "含空格的名称请加引号。点击示例即可输入。",
};

/** @typedef {keyof typeof en} TextKey */

export const t = translator(en, zh);
