import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText, exactText, formatOf, numberKindOf, widestTexts } from "./format.js";
import { difference, numbersOf, readNpy } from "./npy.js";

/** Builds a .npy file. @param {string} descr @param {number[]} dims @param {ArrayBufferView} values */
function npy(descr, dims, values) {
  const shape = `(${dims.join(", ")}${dims.length === 1 ? "," : ""})`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  const header = `${text.padEnd(64 * Math.ceil((text.length + 11) / 64) - 11)}\n`;
  const bytes = new Uint8Array(10 + header.length + values.byteLength);
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, header.length & 255, header.length >> 8]);
  bytes.set(new TextEncoder().encode(header), 10);
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), 10 + header.length);
  return bytes.buffer;
}

/** @param {string} descr @param {number[]} dims @param {ArrayBufferView} values */
const read = (descr, dims, values) => readNpy(npy(descr, dims, values));

/** All elements in full. @param {import("./npy.js").Elements} elements */
const exact = (elements) => Array.from({ length: elements.count }, (_, i) => exactText(elements, i));

test("elements of every dtype are read exactly", () => {
  assert.deepEqual(exact(read("<f4", [2, 2], Float32Array.of(0.1, NaN, -2, Infinity))), ["0.1", "NaN", "-2", "∞"]);
  assert.deepEqual(exact(read("<f8", [1], Float64Array.of(0.1 + 0.2))), ["0.30000000000000004"]);
  assert.deepEqual(exact(read("<i8", [2], BigInt64Array.of(2n ** 63n - 1n, -(2n ** 63n)))), [
    "9223372036854775807",
    "-9223372036854775808",
  ]);
  assert.deepEqual(exact(read("<u8", [1], BigUint64Array.of(2n ** 64n - 1n))), ["18446744073709551615"]);
  assert.deepEqual(exact(read("|b1", [2, 1], Uint8Array.of(1, 0))), ["true", "false"]);
  assert.deepEqual(exact(read("<c8", [1], Float32Array.of(1, -2))), ["1-2j"]);
  assert.deepEqual(exact(read("<f2", [4], Uint16Array.of(0x3e00, 0x7bff, 0x8001, 0xfc00))), [
    "1.5",
    "65504",
    "-5.9604645e-8",
    "−∞",
  ]);
  const scalar = read("<f8", [], Float64Array.of(1.5));
  assert.deepEqual([scalar.dims, scalar.count], [[], 1]);
  assert.throws(() => read("<U3", [1], new Uint8Array(12)), /unsupported dtype/);
});

test("half precision is widened exactly, for every finite bit pattern", () => {
  const patterns = Uint16Array.from({ length: 2 ** 16 }, (_, bits) => bits);
  const { values } = read("<f2", [2 ** 16], patterns);
  for (const bits of patterns) {
    const [sign, exponent, fraction] = [bits >> 15, (bits >> 10) & 31, bits & 1023];
    const size =
      exponent === 31
        ? fraction
          ? NaN
          : Infinity
        : exponent
          ? 2 ** (exponent - 15) * (1 + fraction / 1024)
          : fraction / 2 ** 24;
    assert.ok(Object.is(values[bits], sign ? -size : size) || (Number.isNaN(size) && Number.isNaN(values[bits])));
  }
});

test("the shortest decimal of a float32 identifies it", () => {
  let seed = 17;
  const values = Float32Array.from({ length: 1000 }, () => {
    seed = (seed * 16807) % 2147483647;
    return (seed / 2147483647 - 0.5) * 10 ** ((seed % 60) - 30);
  });
  const texts = exact(read("<f4", [1000], values));
  texts.forEach((text, i) => {
    assert.equal(Math.fround(Number(text)), values[i]);
    assert.ok(text.length <= String(values[i]).length);
  });
});

test("cells have the decimals of the range, and a true minus sign", () => {
  const text = (/** @type {string} */ descr, /** @type {ArrayBufferView & {length: number}} */ values) => {
    const elements = read(descr, [values.length / (descr === "<c8" ? 2 : 1)], values);
    const numbers = Array.from(numbersOf(elements)).filter(Number.isFinite);
    const kind = numberKindOf(
      elements.kind === "integer" ? "int64" : elements.kind === "bool" ? "bool" : elements.kind,
    );
    const format = formatOf(Math.min(...numbers), Math.max(...numbers), kind, "", "");
    return Array.from({ length: elements.count }, (_, i) => cellText(elements, i, format));
  };
  assert.deepEqual(text("<f4", Float32Array.of(0.1, NaN, -2, -Infinity, 0)), ["0.1000", "NaN", "−2.0000", "−∞", "0"]);
  assert.deepEqual(text("<i8", BigInt64Array.of(-(2n ** 63n), 3n)), ["−9223372036854775808", "3"]);
  assert.deepEqual(text("<c8", Float32Array.of(1, -2)), ["1.0000−2.0000j"]);
});

test("chosen decimals and notation override the automatic format", () => {
  assert.deepEqual(formatOf(0, 1, "real", "7", "scientific"), { exponents: true, decimals: 7 });
  assert.deepEqual(formatOf(0, 1, "real", "99", "plain"), { exponents: false, decimals: 10 });
  assert.deepEqual(formatOf(0, 1e15, "whole", "", ""), { exponents: false, decimals: 0 });
});

test("the widest texts are at least as long as any cell of the range", () => {
  const format = formatOf(-123.4, 98.7, "real", "", "");
  const longest = Math.max(...widestTexts(-123.4, 98.7, "real", format).map((text) => text.length));
  for (let value = -123.4; value < 98.7; value += 0.37) {
    const elements = read("<f8", [1], Float64Array.of(value));
    assert.ok(cellText(elements, 0, format).length <= longest);
  }
});

test("differences of 64-bit integers are exact before they are converted", () => {
  const [a, b] = [2n ** 60n + 3n, 2n ** 60n].map((value) => read("<i8", [1], BigInt64Array.of(value)));
  assert.deepEqual([...difference(a, b).values], [3]);
});

test("differences of complex numbers are complex, and their numbers are magnitudes", () => {
  const [a, b] = [
    [4, 6],
    [1, 2],
  ].map((parts) => read("<c8", [1], Float32Array.from(parts)));
  const elements = difference(a, b);
  assert.deepEqual([elements.kind, [...elements.values], [...numbersOf(elements)]], ["complex", [3, 4], [5]]);
  assert.throws(() => difference(a, read("<f4", [1], Float32Array.of(1))), /real and complex/);
});
