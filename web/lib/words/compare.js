// Words of the compare page.

export const en = {
  "page.compare": "Compare",
  "compare.runs": "Runs that are compared",
  "compare.choose": "Choose runs",
  "compare.take_out": "Take out of the comparison",
  "compare.none": "No run is chosen.",
  "compare.none_more": "Switch runs on in the list or tick them in the table of the overview; up to eight stand side by side.",
  "compare.left_out": "The first {shown} of the drawn runs; {n} more does not fit: choose fewer.|The first {shown} of the drawn runs; {n} more do not fit: choose fewer.",
  "compare.counts": "{different} different, {equal} equal",
  "compare.equal": "{n} equal row|{n} equal rows",
  "compare.missing": "Not recorded in this run",
  "compare.absent": "{n} run does not have it|{n} runs do not have it",
  "compare.tag_of": "Tag: {kind}",
  "compare.scalar": "Scalars",
  "compare.histogram": "Histograms",
  "compare.image": "Images",
  "compare.tensor": "Tensors",
  "compare.text": "Texts",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.compare": "对比",
  "compare.runs": "正在对比的运行",
  "compare.choose": "选择运行",
  "compare.take_out": "移出对比",
  "compare.none": "没有选中任何运行。",
  "compare.none_more": "在列表中打开运行，或在总览表格中勾选；最多并排八个。",
  "compare.left_out": "只显示前 {shown} 个所绘制的运行，另有 {n} 个放不下：请减少所选。",
  "compare.counts": "{different} 项不同，{equal} 项相同",
  "compare.equal": "{n} 行相同",
  "compare.missing": "此运行没有记录",
  "compare.absent": "{n} 个运行没有此标签",
  "compare.tag_of": "标签：{kind}",
  "compare.scalar": "标量",
  "compare.histogram": "直方图",
  "compare.image": "图像",
  "compare.tensor": "张量",
  "compare.text": "文本",
};
