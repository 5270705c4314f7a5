// Decodes replies of the server in CBOR (RFC 8949) with typed arrays (RFC 8746): what they contain, not all of CBOR.

const KINDS = { unsigned: 0, negative: 1, bytes: 2, text: 3, list: 4, map: 5, tag: 6 };
/** What follows the first byte of an item, by its low five bits. */
const BYTES_OF_ARGUMENT = new Map([
  [24, 1],
  [25, 2],
  [26, 4],
  [27, 8],
]);
const DOUBLE = 27;
/** Makes little-endian arrays, by tag.
 * @type {Record<number, (content: ArrayBuffer) => Uint8Array | Uint32Array | Int32Array | BigInt64Array | Float32Array | Float64Array>} */
const TYPED_ARRAYS = {
  64: (content) => new Uint8Array(content),
  70: (content) => new Uint32Array(content),
  78: (content) => new Int32Array(content),
  79: (content) => new BigInt64Array(content),
  85: (content) => new Float32Array(content),
  86: (content) => new Float64Array(content),
};
const SIMPLE_VALUES = new Map([
  [20, false],
  [21, true],
  [22, null],
]);
const texts = new TextDecoder();
/** Decoding a shorter text of ASCII byte by byte takes less time than calling the decoder. */
const LONG_TEXT = 32;

/** Integers beyond 2**53 are rounded to the nearest double. @param {ArrayBuffer} buffer @returns {any} */
export function decodeCbor(buffer) {
  const view = new DataView(buffer);
  let at = 0;

  /** @param {number} low the low five bits of an item's first byte */
  function argument(low) {
    if (low < 24) return low;
    const size = BYTES_OF_ARGUMENT.get(low);
    if (!size) throw new RangeError(`no CBOR of ours at byte ${at}`);
    at += size;
    if (size === 1) return view.getUint8(at - 1);
    if (size === 2) return view.getUint16(at - 2);
    if (size === 4) return view.getUint32(at - 4);
    return Number(view.getBigUint64(at - 8));
  }

  /** @param {number} length */
  function text(length) {
    const end = at + length;
    if (length >= LONG_TEXT || end > buffer.byteLength) return texts.decode(take(length));
    let content = "";
    while (at < end) {
      const character = view.getUint8(at++);
      if (character > 127) return texts.decode(new Uint8Array(buffer, (at = end) - length, length));
      content += String.fromCharCode(character);
    }
    return content;
  }

  /** A copy, as typed arrays must be aligned. @param {number} length */
  const take = (length) => buffer.slice(at, (at += length));

  /** @param {number} tag */
  function typedArray(tag) {
    const first = view.getUint8(at++);
    if (!(tag in TYPED_ARRAYS) || first >> 5 !== KINDS.bytes)
      throw new RangeError(`no typed array of ours at byte ${at}`);
    return TYPED_ARRAYS[tag](take(argument(first & 31)));
  }

  /** @param {number} low */
  function simpleValue(low) {
    if (low === DOUBLE) return view.getFloat64((at += 8) - 8);
    if (!SIMPLE_VALUES.has(low)) throw new RangeError(`no CBOR of ours at byte ${at}`);
    return SIMPLE_VALUES.get(low);
  }

  /** @param {number} count */
  function list(count) {
    /** @type {unknown[]} */
    const items = [];
    for (let item = 0; item < count; item++) items.push(next());
    return items;
  }

  /** @param {number} count */
  function map(count) {
    /** @type {Record<string, unknown>} */
    const items = {};
    for (let item = 0; item < count; item++) {
      const name = String(next());
      items[name] = next();
    }
    return items;
  }

  /** @returns {unknown} */
  function next() {
    const first = view.getUint8(at++);
    const kind = first >> 5;
    const low = first & 31;
    if (kind === KINDS.unsigned) return argument(low);
    if (kind === KINDS.negative) return -1 - argument(low);
    if (kind === KINDS.bytes) return new Uint8Array(take(argument(low)));
    if (kind === KINDS.text) return text(argument(low));
    if (kind === KINDS.list) return list(argument(low));
    if (kind === KINDS.map) return map(argument(low));
    if (kind === KINDS.tag) return typedArray(argument(low));
    return simpleValue(low);
  }

  return next();
}
