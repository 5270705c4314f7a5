// The fast Fourier transform of complex numbers whose count is a power of two, in place.

/** @param {Float64Array} real @param {Float64Array} imaginary */
export function transform(real, imaginary) {
  reverseBits(real, imaginary);
  const count = real.length;
  for (let size = 2; size <= count; size *= 2) {
    const half = size / 2;
    for (let at = 0; at < half; at++) {
      const angle = (-2 * Math.PI * at) / size;
      const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
      for (let low = at; low < count; low += size) {
        const high = low + half;
        const re = real[high] * cosine - imaginary[high] * sine;
        const im = real[high] * sine + imaginary[high] * cosine;
        real[high] = real[low] - re;
        imaginary[high] = imaginary[low] - im;
        real[low] += re;
        imaginary[low] += im;
      }
    }
  }
}

/** Puts each number where the bits of its place are reversed. @param {Float64Array} real @param {Float64Array} imaginary */
function reverseBits(real, imaginary) {
  for (let at = 1, reversed = 0; at < real.length; at++) {
    let bit = real.length >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (at >= reversed) continue;
    [real[at], real[reversed]] = [real[reversed], real[at]];
    [imaginary[at], imaginary[reversed]] = [imaginary[reversed], imaginary[at]];
  }
}
