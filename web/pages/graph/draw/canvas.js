// Draws the visible part of a graph on a canvas, with as much detail as is legible at the scale.

import { visibleArea } from "../model/camera.js";
import { flowText } from "../model/edge_types.js";
import { HEAD } from "../model/scope_layout.js";
import { LABEL_SIZE, NOTE_SIZE, weightOf } from "./node_label.js";
import { FONT, textWidth } from "./text_width.js";
import { CONTROL_DASH, cornerRadius, lineWidth } from "./theme.js";

/** @typedef {import("../model/scene.js").Scene} Scene */
/** @typedef {import("../model/scene.js").PlacedBox} PlacedBox */
/** @typedef {import("../model/scene.js").PlacedLine} PlacedLine */
/** @typedef {import("../model/camera.js").Camera} Camera */
/** @typedef {import("../model/camera.js").Size} Size */
/** @typedef {import("./theme.js").GraphTheme} GraphTheme */

/** What is highlighted.
 * @typedef {object} Emphasis
 * @property {string} selected the id of a box; "" for none
 * @property {string} hovered
 * @property {ReadonlySet<PlacedLine>} lines
 * @property {ReadonlySet<string> | null} boxes all others fade; null if none fades
 */

/** The smallest scales at which labels, arrows with rounded bends, and edge labels are drawn. */
const LABELS_FROM = 0.34;
const BENDS_FROM = 0.3;
const EDGE_LABELS_FROM = 0.72;
const MAX_EDGE_LABELS = 300;
const BEND = 5;
const FADED = 0.22;

/**
 * @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Camera} camera @param {Size} frame
 * @param {number} ratio @param {GraphTheme} theme @param {Emphasis} emphasis
 */
export function drawGraph(context, scene, camera, frame, ratio, theme, emphasis) {
  const { scale } = camera;
  const visible = visibleArea(camera, frame);
  const [right, bottom] = [visible.x + visible.width, visible.y + visible.height];
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = theme.ground;
  context.fillRect(0, 0, frame.width * ratio, frame.height * ratio);
  context.setTransform(ratio * scale, 0, 0, ratio * scale, -visible.x * scale * ratio, -visible.y * scale * ratio);
  const boxes = scene.boxes.filter(
    ({ x, y, width, height }) => x <= right && y <= bottom && x + width >= visible.x && y + height >= visible.y,
  );
  const lines = scene.lines.filter(
    (line) => line.left <= right && line.top <= bottom && line.right >= visible.x && line.bottom >= visible.y,
  );
  const pen = { context, scale, theme, emphasis };
  drawFrames(
    pen,
    boxes.filter(({ isOpen }) => isOpen),
  );
  drawLines(
    pen,
    lines.filter((line) => !emphasis.lines.has(line)),
    false,
    scene,
  );
  drawLines(
    pen,
    lines.filter((line) => emphasis.lines.has(line)),
    true,
    scene,
  );
  const closed = boxes.filter(({ isOpen }) => !isOpen);
  drawBoxes(pen, closed);
  if (scale >= EDGE_LABELS_FROM && lines.length <= MAX_EDGE_LABELS) drawEdgeLabels(pen, lines, boxes);
  drawTitles(
    pen,
    boxes.filter(({ isOpen }) => isOpen),
    visible,
  );
}

/** @typedef {{context: CanvasRenderingContext2D, scale: number, theme: GraphTheme, emphasis: Emphasis}} Pen */

/** @param {Pen} pen @param {PlacedBox} box */
const isFaded = ({ emphasis: { boxes, selected } }, { id }) => boxes !== null && id !== selected && !boxes.has(id);

/** @param {Pen} pen @param {PlacedBox[]} frames */
function drawFrames({ context, scale, theme, emphasis }, frames) {
  for (const { id, depth, x, y, width, height } of frames) {
    context.beginPath();
    context.roundRect(x, y, width, height, 6);
    context.fillStyle = theme.inside[depth % 2];
    context.fill();
    context.strokeStyle = id === emphasis.selected ? theme.accent : theme.border;
    context.lineWidth = id === emphasis.selected ? Math.max(2, 2 / scale) : Math.max(1, 0.8 / scale);
    context.stroke();
  }
}

/** Draws titles of expanded scopes at a legible size, inside the visible part of each scope.
 * @param {Pen} pen @param {PlacedBox[]} frames @param {import("../model/camera.js").Rectangle} visible */
function drawTitles({ context, scale, theme }, frames, visible) {
  const size = Math.max(LABEL_SIZE, 10.5 / scale);
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const { box, depth, x, y, width, height } of frames) {
    const left = Math.max(x, visible.x) + 8;
    if (width * scale < 48 || height * scale < 28) continue;
    context.font = `600 ${size}px ${FONT}`;
    const { label } = box.members[0];
    const labelWidth = textWidth(label, LABEL_SIZE, 600) * (size / LABEL_SIZE);
    if (left + labelWidth > x + width) continue;
    const nodes = String(box.members[0].nodes);
    const fullWidth = labelWidth + 8 + textWidth(nodes, NOTE_SIZE) * (size / LABEL_SIZE);
    const hasRoomForCount = left + fullWidth < x + width;
    const middle = y + Math.min(HEAD / 2, size);
    // Hide the edges behind the title.
    context.fillStyle = theme.inside[depth % 2];
    context.fillRect(left - 2, middle - size * 0.6, (hasRoomForCount ? fullWidth : labelWidth) + 4, size * 1.2);
    context.fillStyle = theme.text;
    context.fillText(label, left, middle);
    if (!hasRoomForCount) continue;
    context.font = `${size * 0.875}px ${FONT}`;
    context.fillStyle = theme.note;
    context.fillText(nodes, left + labelWidth + 8, middle);
  }
}

/** Draws all lines of the same style as one path.
 * @param {Pen} pen @param {PlacedLine[]} lines @param {boolean} isHighlighted @param {Scene} scene */
function drawLines({ context, scale, theme, emphasis }, lines, isHighlighted, scene) {
  const styles = Map.groupBy(lines, ({ control, count }) => `${control} ${Math.round(lineWidth(count) * 2) / 2}`);
  context.strokeStyle = context.fillStyle = isHighlighted ? theme.accent : theme.edge;
  context.globalAlpha = emphasis.boxes !== null && !isHighlighted ? FADED : 1;
  for (const [style, group] of styles) {
    const [control, width] = style.split(" ");
    context.beginPath();
    for (const { points } of group) tracePath(context, points, scale >= BENDS_FROM ? BEND : 0);
    context.lineWidth = Math.max(Number(width) * (isHighlighted ? 1.5 : 1), (isHighlighted ? 1.6 : 0.7) / scale);
    context.setLineDash(control === "true" ? CONTROL_DASH : []);
    context.stroke();
  }
  context.setLineDash([]);
  if (scale >= BENDS_FROM) {
    context.beginPath();
    for (const { points, to } of lines) if (scene.byId.has(to)) arrow(context, points);
    context.fill();
  }
  context.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} context @param {import("../model/scope_layout.js").Point[]} points
 * @param {number} bend
 */
function tracePath(context, points, bend) {
  context.moveTo(points[0].x, points[0].y);
  for (let place = 1; place < points.length; place++) {
    const { x, y } = points[place];
    const next = points[place + 1];
    if (bend && next) context.arcTo(x, y, next.x, next.y, Math.min(bend, Math.hypot(next.x - x, next.y - y) / 2));
    else context.lineTo(x, y);
  }
}

/** @param {CanvasRenderingContext2D} context @param {import("../model/scope_layout.js").Point[]} points */
function arrow(context, points) {
  const [end, before] = [points[points.length - 1], points[points.length - 2]];
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [x, y] = [(end.x - before.x) / length, (end.y - before.y) / length];
  context.moveTo(end.x, end.y);
  context.lineTo(end.x - 6 * x - 3 * y, end.y - 6 * y + 3 * x);
  context.lineTo(end.x - 6 * x + 3 * y, end.y - 6 * y - 3 * x);
  context.closePath();
}

/** @param {Pen} pen @param {PlacedBox[]} boxes */
function drawBoxes(pen, boxes) {
  const { context, scale, theme, emphasis } = pen;
  const styles = Map.groupBy(boxes, (box) => `${box.box.kind} ${isFaded(pen, box)}`);
  for (const [style, group] of styles) {
    const kind = group[0].box.kind;
    context.globalAlpha = style.endsWith("true") ? FADED : 1;
    context.lineWidth = Math.max(1, 0.7 / scale);
    context.strokeStyle = theme.border;
    context.fillStyle = theme.fill[kind];
    context.setLineDash(kind === "constant" || kind === "rest" ? [3, 2] : []);
    for (const stacked of [true, false]) {
      context.beginPath();
      for (const box of group) if (!stacked || box.box.count > 1) outline(context, box, stacked ? 3 : 0, scale);
      context.fill();
      context.stroke();
    }
    context.setLineDash([]);
    if (scale >= LABELS_FROM) for (const box of group) drawLabel(pen, box);
  }
  context.globalAlpha = 1;
  for (const box of boxes) if (box.id === emphasis.selected || box.id === emphasis.hovered) drawOutline(pen, box);
}

/** @param {CanvasRenderingContext2D} context @param {PlacedBox} box @param {number} shift @param {number} scale */
function outline(context, { box, x, y, width, height }, shift, scale) {
  if (scale >= BENDS_FROM) context.roundRect(x + shift, y + shift, width, height, cornerRadius(box.kind, height));
  else context.rect(x + shift, y + shift, width, height);
}

/** @param {Pen} pen @param {PlacedBox} box */
function drawOutline({ context, scale, theme, emphasis }, box) {
  const isSelected = box.id === emphasis.selected;
  context.beginPath();
  outline(context, box, 0, 1);
  context.strokeStyle = isSelected ? theme.accent : theme.note;
  context.lineWidth = isSelected ? Math.max(2, 2 / scale) : Math.max(1, 1 / scale);
  context.stroke();
}

/** Enlarges names at small scales as far as they fit.
 * @param {Pen} pen @param {PlacedBox} box */
function drawLabel({ context, scale, theme }, { box, label, x, y, width, height }) {
  const weight = weightOf(box);
  const room = (width - 6) / textWidth(label.text, LABEL_SIZE, weight);
  const size = scale >= 0.62 ? LABEL_SIZE : LABEL_SIZE * Math.max(1, Math.min(room, scale >= 0.48 ? 1.3 : 1.6));
  const hasNote = label.note !== "" && scale >= 0.62;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${weight} ${size}px ${FONT}`;
  context.fillStyle = theme.text;
  context.fillText(label.text, x + width / 2, hasNote ? y + 13 : y + height / 2 + 0.5);
  if (!hasNote) return;
  context.font = `${NOTE_SIZE}px ${FONT}`;
  context.fillStyle = theme.note;
  context.fillText(label.note, x + width / 2, y + 27);
}

/** Draws edge labels on the longest segment of each line, where they overlap nothing.
 * @param {Pen} pen @param {PlacedLine[]} lines @param {PlacedBox[]} boxes */
function drawEdgeLabels({ context, theme, emphasis }, lines, boxes) {
  const occupied = boxes.filter(({ isOpen }) => !isOpen).map(({ x, y, width, height }) => ({ x, y, width, height }));
  for (const { isOpen, x, y, width } of boxes) if (isOpen) occupied.push({ x, y, width, height: HEAD });
  context.font = `${NOTE_SIZE}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const line of lines) {
    const text = line.control ? "" : flowText(line.flows.length === 1 ? line.flows[0].types : [], line.count);
    if (!text || (emphasis.boxes && !emphasis.lines.has(line))) continue;
    const [width, height] = [textWidth(text, NOTE_SIZE) + 6, 13];
    const { x, y } = middleOfLongest(line.points);
    const place = { x: x - width / 2, y: y - height / 2, width, height };
    if (
      occupied.some(
        (other) =>
          place.x < other.x + other.width &&
          place.x + width > other.x &&
          place.y < other.y + other.height &&
          place.y + height > other.y,
      )
    )
      continue;
    occupied.push(place);
    context.fillStyle = line.depth ? theme.inside[(line.depth - 1) % 2] : theme.ground;
    context.fillRect(place.x, place.y, width, height);
    context.fillStyle = emphasis.lines.has(line) ? theme.accent : theme.note;
    context.fillText(text, x, y + 0.5);
  }
}

/** @param {import("../model/scope_layout.js").Point[]} points */
function middleOfLongest(points) {
  let best = 0;
  const lengthAt = (/** @type {number} */ place) =>
    Math.abs(points[place + 1].x - points[place].x) + Math.abs(points[place + 1].y - points[place].y);
  for (let place = 1; place < points.length - 1; place++) if (lengthAt(place) > lengthAt(best)) best = place;
  return { x: (points[best].x + points[best + 1].x) / 2, y: (points[best].y + points[best + 1].y) / 2 };
}
