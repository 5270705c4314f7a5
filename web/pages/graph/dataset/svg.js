// A drawing of the page as a document of its own: its styles are written into it.

/** What a style sheet may say of a shape or a text. */
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

/** @param {SVGSVGElement} drawing as it stands on the page @param {string} title */
export function documentOf(drawing, title) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, at) => {
    const style = getComputedStyle(originals[at]);
    element.setAttribute("style", STYLES.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
    for (const name of ["class", "role", "tabindex", "aria-label", "aria-pressed"]) element.removeAttribute(name);
  });
  const comments = document.createTreeWalker(copy, NodeFilter.SHOW_COMMENT);
  const found = [];
  while (comments.nextNode()) found.push(comments.currentNode);
  for (const comment of found) comment.parentNode?.removeChild(comment);
  copy.prepend(titleOf(title), ground(drawing));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  // What XML has no place for: control characters of hostile names.
  return new XMLSerializer().serializeToString(copy).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");
}

/** @param {string} text */
function titleOf(text) {
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = text;
  return title;
}

/** @param {SVGSVGElement} drawing */
function ground(drawing) {
  const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const { width, height } = drawing.viewBox.baseVal;
  const place = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  for (const [name, value] of Object.entries(place)) rect.setAttribute(name, String(value));
  rect.setAttribute("fill", getComputedStyle(document.documentElement).getPropertyValue("--surface").trim());
  return rect;
}
