// The table of a snapshot as text: JSON in which maps, bytes and numbers that JSON lacks are marked, compressed, base64.

/** Marks what JSON cannot express: {"$": [kind, content]}. */
const MARK = "$";

/** @param {any} value */
const kindOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/** @type {Record<string, {new (buffer: ArrayBuffer): ArrayBufferView}>} */
const ARRAYS = {
  Uint8Array,
  Int32Array,
  BigInt64Array,
  Float32Array,
  Float64Array,
};

/** @param {string} _name @param {any} value */
function marked(_name, value) {
  if (typeof value === "number" && !Number.isFinite(value)) return { [MARK]: ["number", String(value)] };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value instanceof Map) return { [MARK]: ["Map", [...value]] };
  const kind = kindOf(value);
  if (kind in ARRAYS)
    return { [MARK]: [kind, base64Of(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))] };
  if (kind === "ArrayBuffer") return { [MARK]: [kind, base64Of(new Uint8Array(value))] };
  // Its entries as a list, as the mark itself is such an object.
  if (Object.hasOwn(value, MARK)) return { [MARK]: ["Object", Object.entries(value)] };
  return value;
}

/** @param {string} _name @param {any} value */
function unmarked(_name, value) {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, MARK)) return value;
  const [kind, content] = value[MARK];
  if (kind === "number") return Number(content);
  if (kind === "Map") return new Map(content);
  if (kind === "Object") return Object.fromEntries(content);
  const bytes = bytesOf(content);
  return kind === "ArrayBuffer" ? bytes.buffer : new ARRAYS[kind](bytes.buffer);
}

/** Characters that are converted at once: all at once would be too many arguments. */
const PIECE = 0x8000;

/** @param {Uint8Array} bytes */
function base64Of(bytes) {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += PIECE) pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  return btoa(pieces.join(""));
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function bytesOf(text) {
  const content = atob(text);
  const bytes = new Uint8Array(content.length);
  for (let at = 0; at < content.length; at++) bytes[at] = content.charCodeAt(at);
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream | DecompressionStream} stream */
const through = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream));

/** @param {unknown} value @returns {Promise<string>} letters, digits, "+", "/" and "=" only */
export async function pack(value) {
  const text = new TextEncoder().encode(JSON.stringify(value, marked));
  return base64Of(new Uint8Array(await through(text, new CompressionStream("gzip")).arrayBuffer()));
}

/** @param {string} text @returns {Promise<any>} */
export const unpack = async (text) =>
  JSON.parse(await through(bytesOf(text.trim()), new DecompressionStream("gzip")).text(), unmarked);
