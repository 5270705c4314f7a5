// A graph as an SVG document of its own.

import { HEAD } from "../model/elk.js";

/** @typedef {import("../model/scene.js").Scene} Scene */
/** @typedef {import("../model/scene.js").PlacedBox} PlacedBox */
/** @typedef {import("../model/scene.js").PlacedLine} PlacedLine */
/** @typedef {import("./theme.js").Inks} Inks */
/** How things look. @typedef {{inks: Inks, font: string, radius: (kind: import("../model/boxes.js").Box["kind"], height: number) => number, width: (count: number) => number}} Look */

/** @param {string} text */
const escaped = (text) =>
  text.replace(/[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (sign) =>
    sign < " " ? "\ufffd" : `&#${sign.charCodeAt(0)};`,
  );
/** @param {number} number */
const short = (number) => String(Math.round(number * 10) / 10);

/** @param {Scene} scene @param {string} title @param {Look} look */
export function graphSvg({ width, height, boxes, lines, byId }, title, look) {
  const { inks, font } = look;
  const [w, h] = [Math.ceil(width), Math.ceil(height)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" font-family="${escaped(font)}" font-size="12">
<title>${escaped(title)}</title>
<defs><marker id="arrow" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L6 3L0 6z" fill="${inks.edge}"/></marker></defs>
<rect width="100%" height="100%" fill="${inks.ground}"/>
${boxes
  .filter(({ isOpen }) => isOpen)
  .map((box) => frame(box, look))
  .join("\n")}
<g fill="none" stroke="${inks.edge}" stroke-linejoin="round">
${lines.map((line) => path(line, byId.has(line.to), look)).join("\n")}
</g>
<g text-anchor="middle" fill="${inks.text}">
${boxes
  .filter(({ isOpen }) => !isOpen)
  .map((box) => closed(box, look))
  .join("\n")}
</g>
</svg>`;
}

/** @param {PlacedBox} box @param {Look} look */
const frame = ({ box, depth, x, y, width, height }, { inks }) =>
  `<g><title>${escaped(box.id)}</title><rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" rx="6" fill="${inks.inside[depth % 2]}" stroke="${inks.border}"/><text x="${short(x + 8)}" y="${short(y + HEAD / 2 + 4)}" font-weight="600" fill="${inks.text}">${escaped(box.members[0].label)}</text></g>`;

/** @param {PlacedLine} line @param {boolean} hasArrow @param {Look} look */
const path = ({ points, count, control }, hasArrow, { width }) =>
  `<path d="M${points.map(({ x, y }) => `${short(x)} ${short(y)}`).join("L")}" stroke-width="${short(width(count))}"${control ? ' stroke-dasharray="4 3"' : ""}${hasArrow ? ' marker-end="url(#arrow)"' : ""}/>`;

/** @param {PlacedBox} box @param {Look} look */
function closed({ box, face, x, y, width, height }, { inks, radius }) {
  const rect = (/** @type {number} */ shift) =>
    `<rect x="${short(x + shift)}" y="${short(y + shift)}" width="${short(width)}" height="${short(height)}" rx="${short(radius(box.kind, height))}" fill="${inks.fill[box.kind]}" stroke="${inks.border}"${box.kind === "constant" || box.kind === "rest" ? ' stroke-dasharray="3 2"' : ""}/>`;
  const middle = short(x + width / 2);
  const text = `<text x="${middle}" y="${short(face.note ? y + 17 : y + height / 2 + 4.5)}"${box.kind === "scope" ? ' font-weight="600"' : ""}>${escaped(face.label)}</text>`;
  const note = face.note
    ? `<text x="${middle}" y="${short(y + 31)}" font-size="10.5" fill="${inks.note}">${escaped(face.note)}</text>`
    : "";
  return `<g><title>${escaped(
    box.members
      .map(({ name }) => name)
      .slice(0, 100)
      .join("\n"),
  )}</title>${box.count > 1 ? rect(3) : ""}${rect(0)}${text}${note}</g>`;
}
