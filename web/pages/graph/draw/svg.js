// Draws a graph as a standalone SVG document.

import { HEAD } from "../model/scope_layout.js";

/** @typedef {import("../model/scene.js").Scene} Scene */
/** @typedef {import("../model/scene.js").PlacedBox} PlacedBox */
/** @typedef {import("../model/scene.js").PlacedLine} PlacedLine */
/** @typedef {import("./theme.js").GraphTheme} GraphTheme */
/** @typedef {import("../model/boxes.js").Box["kind"]} Kind */
/** @typedef {object} SvgStyle
 * @property {GraphTheme} theme
 * @property {string} font
 * @property {(kind: Kind, height: number) => number} cornerRadius
 * @property {(count: number) => number} width of a line for so many edges
 */

/** @param {string} text */
const escapeXml = (text) =>
  text.replace(/[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (character) =>
    character < " " ? "\ufffd" : `&#${character.charCodeAt(0)};`,
  );
/** @param {number} number */
const rounded = (number) => String(Math.round(number * 10) / 10);

/** An element; numbers are rounded, attributes without a value are left out.
 * @param {string} name @param {Record<string, string | number | false | undefined>} attributes
 * @param {string} [content] */
function element(name, attributes, content = "") {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || value === false
      ? []
      : ` ${key}="${typeof value === "number" ? rounded(value) : escapeXml(value)}"`,
  );
  return content ? `<${name}${written.join("")}>${content}</${name}>` : `<${name}${written.join("")}/>`;
}

/** @param {Scene} scene @param {string} title @param {SvgStyle} style */
export function graphSvg({ width: exactWidth, height: exactHeight, boxes, lines, byId }, title, style) {
  const { theme, font } = style;
  const [width, height] = [Math.ceil(exactWidth), Math.ceil(exactHeight)];
  const arrow = {
    id: "arrow",
    viewBox: "0 0 6 6",
    refX: 6,
    refY: 3,
    markerWidth: 6,
    markerHeight: 6,
    markerUnits: "userSpaceOnUse",
    orient: "auto",
  };
  const parts = [
    element("title", {}, escapeXml(title)),
    element("defs", {}, element("marker", arrow, element("path", { d: "M0 0L6 3L0 6z", fill: theme.edge }))),
    element("rect", { width: "100%", height: "100%", fill: theme.ground }),
    ...boxes.filter(({ isOpen }) => isOpen).map((box) => frame(box, style)),
    element(
      "g",
      { fill: "none", stroke: theme.edge, "stroke-linejoin": "round" },
      lines.map((line) => path(line, byId.has(line.to), style)).join("\n"),
    ),
    element(
      "g",
      { "text-anchor": "middle", fill: theme.text },
      boxes
        .filter(({ isOpen }) => !isOpen)
        .map((box) => closed(box, style))
        .join("\n"),
    ),
  ];
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      "font-family": font,
      "font-size": 12,
    },
    parts.join("\n"),
  );
}

/** An expanded scope. @param {PlacedBox} box @param {SvgStyle} style */
const frame = ({ box, depth, x, y, width, height }, { theme }) =>
  element(
    "g",
    {},
    element("title", {}, escapeXml(box.id)) +
      element("rect", { x, y, width, height, rx: 6, fill: theme.inside[depth % 2], stroke: theme.border }) +
      element(
        "text",
        { x: x + 8, y: y + HEAD / 2 + 4, "font-weight": 600, fill: theme.text },
        escapeXml(box.members[0].label),
      ),
  );

/** @param {PlacedLine} line @param {boolean} hasArrow @param {SvgStyle} style */
const path = ({ points, count, control }, hasArrow, { width }) =>
  element("path", {
    d: `M${points.map(({ x, y }) => `${rounded(x)} ${rounded(y)}`).join("L")}`,
    "stroke-width": width(count),
    "stroke-dasharray": control && "4 3",
    "marker-end": hasArrow && "url(#arrow)",
  });

/** A box that is not expanded. @param {PlacedBox} placed @param {SvgStyle} style */
function closed({ box, label, x, y, width, height }, { theme, cornerRadius }) {
  const rect = (/** @type {number} */ shift) =>
    element("rect", {
      x: x + shift,
      y: y + shift,
      width,
      height,
      rx: cornerRadius(box.kind, height),
      fill: theme.fill[box.kind],
      stroke: theme.border,
      "stroke-dasharray": (box.kind === "constant" || box.kind === "rest") && "3 2",
    });
  const names = box.members.slice(0, 100).map(({ name }) => name);
  const text = element(
    "text",
    {
      x: x + width / 2,
      y: label.note ? y + 17 : y + height / 2 + 4.5,
      "font-weight": box.kind === "scope" && 600,
    },
    escapeXml(label.text),
  );
  const note = element(
    "text",
    { x: x + width / 2, y: y + 31, "font-size": 10.5, fill: theme.note },
    escapeXml(label.note),
  );
  return element(
    "g",
    {},
    element("title", {}, escapeXml(names.join("\n"))) +
      (box.count > 1 ? rect(3) : "") +
      rect(0) +
      text +
      (label.note ? note : ""),
  );
}
