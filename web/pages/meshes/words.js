// The words of the page of meshes, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "empty.no_meshes": "No meshes in these runs yet.",
  "mesh.mode": "How meshes are drawn",
  "mesh.surface": "Surface",
  "mesh.wireframe": "Wireframe",
  "mesh.points": "Points",
  "mesh.link": "Turn all views together",
  "mesh.reset": "Show all of each mesh",
  "mesh.picture": "{tag} of {run}: a mesh of {n} vertices. Drag to turn it.",
  "mesh.loading": "Loading the mesh…",
  "mesh.vertices": "{n} vertex|{n} vertices",
  "mesh.faces": "{n} face|{n} faces",
  "mesh.sample": "{at} of {n}",
  "mesh.previous": "Previous mesh of the batch",
  "mesh.next": "Next mesh of the batch",
  "mesh.decimated": "Simplified to {vertices} vertices and {faces} faces.",
  "mesh.thinned": "{vertices} of the points are drawn, evenly spread.",
  "mesh.lost_vertices":
    "{n} vertex with a NaN or an infinity is left out.|{n} vertices with a NaN or an infinity are left out.",
  "mesh.lost_faces": "{n} face without its vertices is left out.|{n} faces without their vertices are left out.",
  "mesh.problem": "Not drawn: {problem}.",
  "mesh.no_webgl": "Meshes are drawn with WebGL, which this browser does not offer.",
  "mesh.no_script": "The script that draws meshes could not be loaded. Reload the page to try again.",
  "mesh.keys_step": "previous and next step",
  "mesh.keys_turn": "turn the mesh that has the focus",
  "mesh.keys_zoom": "zoom in and out",
  "mesh.keys_mode": "surface, wireframe or points",
  "mesh.keys_link": "turn all views together, or each alone",
  "mesh.keys_reset": "show all of each mesh",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "empty.no_meshes": "这些运行还没有网格。",
  "mesh.mode": "网格的绘制方式",
  "mesh.surface": "曲面",
  "mesh.wireframe": "线框",
  "mesh.points": "点",
  "mesh.link": "所有视图一起转动",
  "mesh.reset": "完整显示每个网格",
  "mesh.picture": "{run} 的 {tag}：{n} 个顶点的网格。拖动可转动。",
  "mesh.loading": "正在加载网格…",
  "mesh.vertices": "{n} 个顶点",
  "mesh.faces": "{n} 个面",
  "mesh.sample": "第 {at} 个，共 {n} 个",
  "mesh.previous": "批次中的上一个网格",
  "mesh.next": "批次中的下一个网格",
  "mesh.decimated": "已简化为 {vertices} 个顶点和 {faces} 个面。",
  "mesh.thinned": "均匀绘制其中 {vertices} 个点。",
  "mesh.lost_vertices": "已略去 {n} 个含 NaN 或无穷大的顶点。",
  "mesh.lost_faces": "已略去 {n} 个缺少顶点的面。",
  "mesh.problem": "未绘制：{problem}。",
  "mesh.no_webgl": "网格用 WebGL 绘制，而此浏览器不支持。",
  "mesh.no_script": "无法加载绘制网格的脚本。请重新加载页面。",
  "mesh.keys_step": "上一步、下一步",
  "mesh.keys_turn": "转动获得焦点的网格",
  "mesh.keys_zoom": "放大、缩小",
  "mesh.keys_mode": "曲面、线框或点",
  "mesh.keys_link": "所有视图一起转动或各自转动",
  "mesh.keys_reset": "完整显示每个网格",
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
