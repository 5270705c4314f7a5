// The words of the top bar, the dialogs and the hints, in English and Chinese.

import * as shared from "../i18n/shared_words.js";
import { translator } from "../i18n/text.js";

export const en = {
  "snapshot.title": "Static snapshot",
  "snapshot.explained":
    "One HTML file with this view and its data. It opens from disk, without a server, and cannot be edited.",
  "snapshot.runs": "{n} visible run|{n} visible runs",
  "snapshot.first_runs": "The first {shown} of {n} visible runs",
  "snapshot.pages": "Pages",
  "snapshot.all_points": "All points",
  "snapshot.all_points_hint": "Every recorded point of the charts instead of those drawn. The file becomes larger.",
  "snapshot.private":
    "The file contains the names, parameters, command lines and notes of these runs: whoever has it can read them.",
  "snapshot.create": "Create",
  "snapshot.cancel": "Cancel",
  "snapshot.close": "Close",
  "snapshot.creating": "Collecting data",
  "snapshot.preview": "Preview of the page being collected",
  "snapshot.ready": "Ready: {size} MB",
  "snapshot.download": "Download",
  "snapshot.failed": "The snapshot was not created: {reason}",
  "snapshot.too_large": "its data are larger than {most} MB. Choose fewer runs, pages or points.",
  "snapshot.of": "Snapshot of {time}",
  "snapshot.from": "From the log directory {logdir}. It does not change.",
};

/** @satisfies {Record<keyof typeof en, string>} */
export const zh = {
  "snapshot.title": "静态快照",
  "snapshot.explained": "把此视图及其数据存为一个 HTML 文件。无需服务器即可从磁盘打开，不能编辑。",
  "snapshot.runs": "{n} 个可见运行",
  "snapshot.first_runs": "{n} 个可见运行中的前 {shown} 个",
  "snapshot.pages": "页面",
  "snapshot.all_points": "全部数据点",
  "snapshot.all_points_hint": "保存图表的全部记录点，而不只是绘制的点。文件会更大。",
  "snapshot.private": "文件包含这些运行的名称、参数、命令行和备注，拿到文件的人都能看到。",
  "snapshot.create": "创建",
  "snapshot.cancel": "取消",
  "snapshot.close": "关闭",
  "snapshot.creating": "正在收集数据",
  "snapshot.preview": "正在收集的页面预览",
  "snapshot.ready": "已完成：{size} MB",
  "snapshot.download": "下载",
  "snapshot.failed": "未能创建快照：{reason}",
  "snapshot.too_large": "数据超过 {most} MB。请减少运行、页面或数据点。",
  "snapshot.of": "快照：{time}",
  "snapshot.from": "来自日志目录 {logdir}，内容不会变化。",
};

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
