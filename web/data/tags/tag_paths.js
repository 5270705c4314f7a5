// The paths of the sections that may contain a tag: they end at slashes, and at dots between words.

/** Endings of files' names. */
const FILE = "py|ipynb|json|ya?ml|toml|txt|md|csv|parquet|log|png|jpe?g|gif|wav|mp4|npy|npz|pth?|ckpt|h5|onnx|gz|zip";
/** A dot in a number or before a file's ending is no end of a path, nor is any dot after a number: the tags of
 * "gpu.0" and "gpu.1" are compared with each other. */
const END = new RegExp(
  String.raw`/|(?<=(?:^|/)(?:\p{L}[^./\s]*\.)*\p{L}[^./\s]*)\.(?!(?<=\d\.)\d)(?!(?:${FILE})(?:$|/))(?=[^./\s])`,
  "giu",
);
/** A section needs so many tags: one of a single tag would only add a header, and dots are used for more than sections.
 */
const FEWEST = { "/": 2, ".": 3 };

/** @param {string} tag or the path of a section @returns {string[]} from the shortest */
export const pathsOf = (tag) =>
  [...tag.matchAll(END)].flatMap(({ index }) => (isInside(tag, index) ? [tag.slice(0, index)] : []));

/** The paths that enough of the tags share for a section.
 * @param {readonly string[]} tags @returns {Set<string>} */
export function sharedPaths(tags) {
  const counts = { "/": new Map(), ".": new Map() };
  for (const tag of tags)
    for (const path of pathsOf(tag)) {
      const count = counts[/** @type {"/" | "."} */ (tag[path.length])];
      count.set(path, (count.get(path) ?? 0) + 1);
    }
  return new Set(
    Object.entries(counts).flatMap(([joint, count]) =>
      [...count].flatMap(([path, members]) => (members >= FEWEST[/** @type {"/" | "."} */ (joint)] ? [path] : [])),
    ),
  );
}

/** @param {string} tag @param {number} index */
const isInside = (tag, index) => index > 0 && index < tag.length - 1;
