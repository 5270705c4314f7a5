// A graph on a canvas: what the camera sees of it, with as much detail as can be read.

import { inSight } from "../model/camera.js";
import { flowText } from "../model/edge_types.js";
import { HEAD } from "../model/elk.js";
import { LABEL, NOTE, weightOf } from "./node_label.js";
import { FONT, widthOf } from "./text_width.js";
import { CONTROL_DASH, lineWidth, radiusOf } from "./theme.js";

/** @typedef {import("../model/scene.js").Scene} Scene */
/** @typedef {import("../model/scene.js").PlacedBox} PlacedBox */
/** @typedef {import("../model/scene.js").PlacedLine} PlacedLine */
/** @typedef {import("../model/camera.js").Camera} Camera */
/** @typedef {import("../model/camera.js").Size} Size */
/** @typedef {import("./theme.js").Inks} Inks */

/** What stands out.
 * @typedef {object} Emphasis
 * @property {string} selected a box; "" none
 * @property {string} hovered
 * @property {ReadonlySet<PlacedLine>} lines
 * @property {ReadonlySet<string> | null} boxes all others fade; null: none fades
 */

/** From which scale on labels, arrows, round bends and texts on edges are drawn. */
const LABELS_FROM = 0.34;
const BENDS_FROM = 0.3;
const FLOWS_FROM = 0.72;
const MOST_FLOWS = 300;
const BEND = 5;
const FADED = 0.22;

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Camera} camera @param {Size} frame @param {number} ratio @param {Inks} inks @param {Emphasis} emphasis */
export function drawGraph(context, scene, camera, frame, ratio, inks, emphasis) {
  const { scale } = camera;
  const seen = inSight(camera, frame);
  const [right, bottom] = [seen.x + seen.width, seen.y + seen.height];
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = inks.ground;
  context.fillRect(0, 0, frame.width * ratio, frame.height * ratio);
  context.setTransform(ratio * scale, 0, 0, ratio * scale, -seen.x * scale * ratio, -seen.y * scale * ratio);
  const boxes = scene.boxes.filter(
    ({ x, y, width, height }) => x <= right && y <= bottom && x + width >= seen.x && y + height >= seen.y,
  );
  const lines = scene.lines.filter(
    (line) => line.left <= right && line.top <= bottom && line.right >= seen.x && line.bottom >= seen.y,
  );
  const pen = { context, scale, inks, emphasis };
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
  if (scale >= FLOWS_FROM && lines.length <= MOST_FLOWS) drawFlows(pen, lines, boxes);
  drawTitles(
    pen,
    boxes.filter(({ isOpen }) => isOpen),
    seen,
  );
}

/** @typedef {{context: CanvasRenderingContext2D, scale: number, inks: Inks, emphasis: Emphasis}} Pen */

/** @param {Pen} pen @param {PlacedBox} box */
const isFaded = ({ emphasis: { boxes, selected } }, { id }) => boxes !== null && id !== selected && !boxes.has(id);

/** @param {Pen} pen @param {PlacedBox[]} frames */
function drawFrames({ context, scale, inks, emphasis }, frames) {
  for (const { id, depth, x, y, width, height } of frames) {
    context.beginPath();
    context.roundRect(x, y, width, height, 6);
    context.fillStyle = inks.inside[depth % 2];
    context.fill();
    context.strokeStyle = id === emphasis.selected ? inks.accent : inks.border;
    context.lineWidth = id === emphasis.selected ? Math.max(2, 2 / scale) : Math.max(1, 0.8 / scale);
    context.stroke();
  }
}

/** Names of opened scopes stay readable, and in sight, while some of the scope is.
 * @param {Pen} pen @param {PlacedBox[]} frames @param {import("../model/camera.js").Rectangle} seen */
function drawTitles({ context, scale, inks }, frames, seen) {
  const size = Math.max(LABEL, 10.5 / scale);
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const { box, depth, x, y, width, height } of frames) {
    const left = Math.max(x, seen.x) + 8;
    if (width * scale < 48 || height * scale < 28) continue;
    context.font = `600 ${size}px ${FONT}`;
    const { label } = box.members[0];
    const wide = widthOf(label, LABEL, 600) * (size / LABEL);
    if (left + wide > x + width) continue;
    const nodes = String(box.members[0].nodes);
    const all = wide + 8 + widthOf(nodes, NOTE) * (size / LABEL);
    const hasNodes = left + all < x + width;
    const middle = y + Math.min(HEAD / 2, size);
    // Edges that lead into the scope go on behind its name.
    context.fillStyle = inks.inside[depth % 2];
    context.fillRect(left - 2, middle - size * 0.6, (hasNodes ? all : wide) + 4, size * 1.2);
    context.fillStyle = inks.text;
    context.fillText(label, left, middle);
    if (!hasNodes) continue;
    context.font = `${size * 0.875}px ${FONT}`;
    context.fillStyle = inks.note;
    context.fillText(nodes, left + wide + 8, middle);
  }
}

/** Lines of one look are one path.
 * @param {Pen} pen @param {PlacedLine[]} lines @param {boolean} isMarked @param {Scene} scene */
function drawLines({ context, scale, inks, emphasis }, lines, isMarked, scene) {
  const looks = Map.groupBy(lines, ({ control, count }) => `${control} ${Math.round(lineWidth(count) * 2) / 2}`);
  context.strokeStyle = context.fillStyle = isMarked ? inks.accent : inks.edge;
  context.globalAlpha = emphasis.boxes !== null && !isMarked ? FADED : 1;
  for (const [look, alike] of looks) {
    const [control, width] = look.split(" ");
    context.beginPath();
    for (const { points } of alike) tracePath(context, points, scale >= BENDS_FROM ? BEND : 0);
    context.lineWidth = Math.max(Number(width) * (isMarked ? 1.5 : 1), (isMarked ? 1.6 : 0.7) / scale);
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

/** @param {CanvasRenderingContext2D} context @param {import("../model/elk.js").Point[]} points @param {number} bend */
function tracePath(context, points, bend) {
  context.moveTo(points[0].x, points[0].y);
  for (let place = 1; place < points.length; place++) {
    const { x, y } = points[place];
    const next = points[place + 1];
    if (bend && next) context.arcTo(x, y, next.x, next.y, Math.min(bend, Math.hypot(next.x - x, next.y - y) / 2));
    else context.lineTo(x, y);
  }
}

/** @param {CanvasRenderingContext2D} context @param {import("../model/elk.js").Point[]} points */
function arrow(context, points) {
  const [end, before] = [points[points.length - 1], points[points.length - 2]];
  const far = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [x, y] = [(end.x - before.x) / far, (end.y - before.y) / far];
  context.moveTo(end.x, end.y);
  context.lineTo(end.x - 6 * x - 3 * y, end.y - 6 * y + 3 * x);
  context.lineTo(end.x - 6 * x + 3 * y, end.y - 6 * y - 3 * x);
  context.closePath();
}

/** @param {Pen} pen @param {PlacedBox[]} boxes */
function drawBoxes(pen, boxes) {
  const { context, scale, inks, emphasis } = pen;
  const looks = Map.groupBy(boxes, (box) => `${box.box.kind} ${isFaded(pen, box)}`);
  for (const [look, alike] of looks) {
    const kind = alike[0].box.kind;
    context.globalAlpha = look.endsWith("true") ? FADED : 1;
    context.lineWidth = Math.max(1, 0.7 / scale);
    context.strokeStyle = inks.border;
    context.fillStyle = inks.fill[kind];
    context.setLineDash(kind === "constant" || kind === "rest" ? [3, 2] : []);
    for (const stacked of [true, false]) {
      context.beginPath();
      for (const box of alike) if (!stacked || box.box.count > 1) outline(context, box, stacked ? 3 : 0, scale);
      context.fill();
      context.stroke();
    }
    context.setLineDash([]);
    if (scale >= LABELS_FROM) for (const box of alike) label(pen, box);
  }
  context.globalAlpha = 1;
  for (const box of boxes) if (box.id === emphasis.selected || box.id === emphasis.hovered) mark(pen, box);
}

/** @param {CanvasRenderingContext2D} context @param {PlacedBox} box @param {number} shift @param {number} scale */
function outline(context, { box, x, y, width, height }, shift, scale) {
  if (scale >= BENDS_FROM) context.roundRect(x + shift, y + shift, width, height, radiusOf(box.kind, height));
  else context.rect(x + shift, y + shift, width, height);
}

/** @param {Pen} pen @param {PlacedBox} box */
function mark({ context, scale, inks, emphasis }, box) {
  const isSelected = box.id === emphasis.selected;
  context.beginPath();
  outline(context, box, 0, 1);
  context.strokeStyle = isSelected ? inks.accent : inks.note;
  context.lineWidth = isSelected ? Math.max(2, 2 / scale) : Math.max(1, 1 / scale);
  context.stroke();
}

/** From afar names are drawn larger, as far as there is room for them.
 * @param {Pen} pen @param {PlacedBox} box */
function label({ context, scale, inks }, { box, face, x, y, width, height }) {
  const weight = weightOf(box);
  const room = (width - 6) / widthOf(face.label, LABEL, weight);
  const size = scale >= 0.62 ? LABEL : LABEL * Math.max(1, Math.min(room, scale >= 0.48 ? 1.3 : 1.6));
  const hasNote = face.note !== "" && scale >= 0.62;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = `${weight} ${size}px ${FONT}`;
  context.fillStyle = inks.text;
  context.fillText(face.label, x + width / 2, hasNote ? y + 13 : y + height / 2 + 0.5);
  if (!hasNote) return;
  context.font = `${NOTE}px ${FONT}`;
  context.fillStyle = inks.note;
  context.fillText(face.note, x + width / 2, y + 27);
}

/** What flows, on the longest piece of an edge, where nothing else stands.
 * @param {Pen} pen @param {PlacedLine[]} lines @param {PlacedBox[]} boxes */
function drawFlows({ context, inks, emphasis }, lines, boxes) {
  const taken = boxes.filter(({ isOpen }) => !isOpen).map(({ x, y, width, height }) => ({ x, y, width, height }));
  for (const { isOpen, x, y, width } of boxes) if (isOpen) taken.push({ x, y, width, height: HEAD });
  context.font = `${NOTE}px ${FONT}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const line of lines) {
    const text = line.control ? "" : flowText(line.flows.length === 1 ? line.flows[0].types : [], line.count);
    if (!text || (emphasis.boxes && !emphasis.lines.has(line))) continue;
    const [width, height] = [widthOf(text, NOTE) + 6, 13];
    const { x, y } = middleOfLongest(line.points);
    const place = { x: x - width / 2, y: y - height / 2, width, height };
    if (
      taken.some(
        (other) =>
          place.x < other.x + other.width &&
          place.x + width > other.x &&
          place.y < other.y + other.height &&
          place.y + height > other.y,
      )
    )
      continue;
    taken.push(place);
    context.fillStyle = line.depth ? inks.inside[(line.depth - 1) % 2] : inks.ground;
    context.fillRect(place.x, place.y, width, height);
    context.fillStyle = emphasis.lines.has(line) ? inks.accent : inks.note;
    context.fillText(text, x, y + 0.5);
  }
}

/** @param {import("../model/elk.js").Point[]} points */
function middleOfLongest(points) {
  let best = 0;
  const long = (/** @type {number} */ place) =>
    Math.abs(points[place + 1].x - points[place].x) + Math.abs(points[place + 1].y - points[place].y);
  for (let place = 1; place < points.length - 1; place++) if (long(place) > long(best)) best = place;
  return { x: (points[best].x + points[best + 1].x) / 2, y: (points[best].y + points[best + 1].y) / 2 };
}
