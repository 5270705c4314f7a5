// Converts an SVG drawing of the page into a standalone document with inline styles.

/** The style properties that are copied. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];
const MARGIN = 4;

/** @param {SVGSVGElement} drawing in the page @param {string} title */
export function svgDocument(drawing, title) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, at) => {
    const style = getComputedStyle(originals[at]);
    element.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    for (const name of ["class", "role", "tabindex", "aria-label", "aria-pressed"]) element.removeAttribute(name);
  });
  const comments = document.createTreeWalker(copy, NodeFilter.SHOW_COMMENT);
  const commentNodes = [];
  while (comments.nextNode()) commentNodes.push(comments.currentNode);
  for (const comment of commentNodes) comment.parentNode?.removeChild(comment);
  copy.prepend(titleOf(title), background(drawing));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  // Control characters, which XML does not allow, may occur in names.
  return new XMLSerializer().serializeToString(copy).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");
}

/** @param {string} text */
function titleOf(text) {
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = text;
  return title;
}

/** @param {SVGSVGElement} drawing */
function background(drawing) {
  const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const { width, height } = drawing.viewBox.baseVal;
  const place = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  for (const [name, value] of Object.entries(place)) rect.setAttribute(name, String(value));
  rect.setAttribute("fill", getComputedStyle(document.documentElement).getPropertyValue("--surface").trim());
  return rect;
}
