// Parses NumPy's .npy format, without loss of precision.

/** Complex numbers are alternating real and imaginary parts; bools are 0 and 1; float16 is widened to float32.
 * @typedef {Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array |
 *   Uint32Array | BigInt64Array | BigUint64Array} Values */

/** Elements of any shape, in row-major order.
 * @typedef {object} Elements
 * @property {number[]} dims
 * @property {"float" | "integer" | "bool" | "complex"} kind
 * @property {boolean} isSingle whether the values have at most single precision
 * @property {number} count
 * @property {Values} values
 */

/**
 * @type {Record<string, {kind: Elements["kind"], make: (bytes: ArrayBuffer, from: number, count: number) => Values}>}
 */
const LAYOUTS = {
  f2: { kind: "float", make: (bytes, from, count) => widenHalves(new Uint16Array(bytes, from, count)) },
  f4: { kind: "float", make: (bytes, from, count) => new Float32Array(bytes, from, count) },
  f8: { kind: "float", make: (bytes, from, count) => new Float64Array(bytes, from, count) },
  i1: { kind: "integer", make: (bytes, from, count) => new Int8Array(bytes, from, count) },
  i2: { kind: "integer", make: (bytes, from, count) => new Int16Array(bytes, from, count) },
  i4: { kind: "integer", make: (bytes, from, count) => new Int32Array(bytes, from, count) },
  i8: { kind: "integer", make: (bytes, from, count) => new BigInt64Array(bytes, from, count) },
  u1: { kind: "integer", make: (bytes, from, count) => new Uint8Array(bytes, from, count) },
  u2: { kind: "integer", make: (bytes, from, count) => new Uint16Array(bytes, from, count) },
  u4: { kind: "integer", make: (bytes, from, count) => new Uint32Array(bytes, from, count) },
  u8: { kind: "integer", make: (bytes, from, count) => new BigUint64Array(bytes, from, count) },
  b1: { kind: "bool", make: (bytes, from, count) => new Uint8Array(bytes, from, count) },
  c8: { kind: "complex", make: (bytes, from, count) => new Float32Array(bytes, from, 2 * count) },
  c16: { kind: "complex", make: (bytes, from, count) => new Float64Array(bytes, from, 2 * count) },
};

/** @param {ArrayBuffer} bytes @returns {Elements} */
export function readNpy(bytes) {
  const length = new DataView(bytes).getUint16(8, true);
  const header = new TextDecoder("latin1").decode(new Uint8Array(bytes, 10, length));
  const [, type = ""] = /'descr': '[<|=]?(\w+)'/.exec(header) ?? [];
  const [, shape = ""] = /'shape': \(([^)]*)\)/.exec(header) ?? [];
  if (!Object.hasOwn(LAYOUTS, type)) throw new TypeError(`unsupported dtype: ${header.slice(0, 60)}`);
  const { kind, make } = LAYOUTS[type];
  const dims = shape
    .split(",")
    .filter((size) => size.trim())
    .map(Number);
  const count = dims.reduce((product, size) => product * size, 1);
  return {
    dims,
    kind,
    isSingle: type === "f4" || type === "f2" || type === "c8",
    count,
    values: make(bytes, 10 + length, count),
  };
}

/** @param {Uint16Array} halves */
function widenHalves(halves) {
  const values = new Float32Array(halves.length);
  for (let index = 0; index < halves.length; index++) {
    const bits = halves[index];
    const sign = bits & 0x8000 ? -1 : 1;
    const power = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (power === 31) values[index] = fraction ? NaN : sign * Infinity;
    else values[index] = sign * (power ? 2 ** (power - 25) * (1024 + fraction) : 2 ** -24 * fraction);
  }
  return values;
}

/** The numbers that are compared and coloured; magnitudes of complex numbers.
 * @param {Elements} elements @param {number} [from] @param {number} [to]
 * @returns {Exclude<Values, BigInt64Array | BigUint64Array>} */
export function numbersOf({ kind, values, count }, from = 0, to = count) {
  if (values instanceof BigInt64Array || values instanceof BigUint64Array)
    return Float64Array.from(values.subarray(from, to), Number);
  if (kind !== "complex") return values.subarray(from, to);
  const magnitudes = new Float64Array(to - from);
  for (let index = from; index < to; index++)
    magnitudes[index - from] = Math.hypot(values[2 * index], values[2 * index + 1]);
  return magnitudes;
}

/** The element-wise difference as doubles; 64-bit integers are subtracted before the conversion.
 * @param {Elements} minuend @param {Elements} subtrahend of the same dims @returns {Elements} */
export function difference(minuend, subtrahend) {
  const kind = minuend.kind === "complex" || subtrahend.kind === "complex" ? "complex" : "float";
  const values = new Float64Array(minuend.count * (kind === "complex" ? 2 : 1));
  const [a, b] = [minuend.values, subtrahend.values];
  if (isBigInt(a) && isBigInt(b))
    for (let index = 0; index < values.length; index++) values[index] = Number(a[index] - b[index]);
  else if (minuend.kind !== subtrahend.kind && kind === "complex")
    throw new TypeError("cannot subtract real and complex tensors");
  else for (let index = 0; index < values.length; index++) values[index] = Number(a[index]) - Number(b[index]);
  return { dims: minuend.dims, kind, isSingle: false, count: minuend.count, values };
}

/** @param {Values} values @returns {values is BigInt64Array | BigUint64Array} */
const isBigInt = (values) => values instanceof BigInt64Array || values instanceof BigUint64Array;
