/**
 * Temporal noise shaping (ISO/IEC 14496-3, 4.4.2.7 and 4.6.9). The spectrum in the frame is what an encoder's prediction
 * left over; the decoder's filter restores its power. For a flat rest the gain is the product of 1 / (1 - k²) over the
 * filter's reflection coefficients.
 */
import type { BitCursor } from '../../bytes/bit-cursor.js';
import type { WindowInfo } from './window-info.js';

/** Reads tns_data and fills the power gain of each band. Short windows are read over: their filters differ in time. */
export function readShaping(bits: BitCursor, window: WindowInfo, gains: Float32Array): void {
  gains.fill(1);
  if (window.isShort) {
    for (let i = 0; i < 8; i++) readWindow(bits, window, undefined);
  } else {
    readWindow(bits, window, gains);
  }
}

function readWindow(bits: BitCursor, window: WindowInfo, gains: Float32Array | undefined): void {
  const isLong = gains !== undefined;
  const filters = bits.u(isLong ? 2 : 1);
  if (filters === 0) return;
  const resolution = bits.u(1) + 3;
  let bottom = window.bands.count;
  for (let i = 0; i < filters; i++) {
    const top = bottom;
    bottom = Math.max(0, top - bits.u(isLong ? 6 : 4));
    const order = bits.u(isLong ? 5 : 3);
    if (order === 0) continue;
    bits.skip(1); // direction
    const gain = readFilter(bits, order, resolution);
    const last = Math.min(window.rate.shaped, window.used);
    if (isLong) for (let band = Math.min(bottom, last); band < Math.min(top, last); band++) gains[band] = gain;
  }
}

function readFilter(bits: BitCursor, order: number, resolution: number): number {
  const size = resolution - bits.u(1);
  let gain = 1;
  for (let i = 0; i < order; i++) {
    const code = bits.u(size);
    const value = code >= 1 << (size - 1) ? code - (1 << size) : code;
    const steps = (1 << (resolution - 1)) + (value >= 0 ? -0.5 : 0.5);
    const k = Math.sin((value * Math.PI) / 2 / steps);
    gain /= 1 - k * k;
  }
  return gain;
}
