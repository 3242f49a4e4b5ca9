/**
 * Start of an AAC frame (ISO/IEC 14496-3, raw_data_block, 4.4.2.1): its first channel element up to the sections, which
 * need no Huffman tables. An encoder, filter or relay that damages frames shows here; a decoder would fail on them.
 */
import { BitCursor } from '../../bytes/bit-cursor.js';
import type { AudioSpecificConfig } from './audio-specific-config.js';
import { bandsOf } from './bands.js';

/** Bytes of a frame that are read at most: 49 sections of 9 bits and what precedes them. */
export const AAC_START_BYTES = 96;
/** Enough for most frames, which have few sections. */
const USUAL_BYTES = 32;

const SCE = 0;
const CPE = 1;
const DSE = 4;
const PCE = 5;
const FIL = 6;
const END = 7;
const EIGHT_SHORT = 2;
const RESERVED_CODEBOOK = 12;
const LOW_COMPLEXITY = 2;

const BITS = new BitCursor(AAC_START_BYTES);

/** All sections of the first channel of the last frame of `aacFault` are zero. */
export let isStartZero = false;

/** Fault of the frame of `size` bytes that starts with `bytes[from, to)`; '' if there is none. */
export function aacFault(
  bytes: Uint8Array,
  from: number,
  to: number,
  size: number,
  config: AudioSpecificConfig,
): string {
  isStartZero = false;
  if (isValidStart(bytes, from, Math.min(to, from + size, from + AAC_START_BYTES), config)) return '';
  if (isAdts(bytes, from, to, size)) return 'an ADTS header';
  if (config.audioObjectType !== LOW_COMPLEXITY || config.frameLength !== 1024) return '';
  const bits = BITS;
  bits.open(bytes, from, Math.min(to, from + USUAL_BYTES));
  let fault = elementFault(config);
  if (bits.isOver && to - from > USUAL_BYTES) {
    bits.open(bytes, from, Math.min(to, from + AAC_START_BYTES));
    fault = elementFault(config);
  }
  // The rest of the frame is not at hand: nothing is known of it.
  if (bits.isOver) return size <= Math.min(to - from, AAC_START_BYTES) ? 'an element past its end' : '';
  return fault;
}

/** More than comes before the sections, without the stereo mask. */
const MIN_START_BITS = 40;

/**
 * The start of most frames, read without a copy. False: something is unusual or wrong with it, which the other functions name.
 */
function isValidStart(bytes: Uint8Array, from: number, to: number, config: AudioSpecificConfig): boolean {
  const { channelConfiguration, audioObjectType, frameLength, sampleRate } = config;
  if (audioObjectType !== LOW_COMPLEXITY || frameLength !== 1024 || channelConfiguration === 0) return false;
  // Each read takes four bytes.
  const end = (to - from - 4) * 8;
  const first = wordAt(bytes, from, 0);
  const id = first >>> 29;
  if (id !== (channelConfiguration === 2 ? CPE : SCE) || end < MIN_START_BITS) return false;
  const isJoint = id === CPE && (first & (1 << 24)) !== 0;
  // ics_info follows global_gain, unless the channels share it.
  let bit = isJoint ? 8 : id === CPE ? 16 : 15;
  const window = wordAt(bytes, from, bit);
  if (window >>> 31 === 1) return false;
  const isShort = ((window >>> 29) & 3) === EIGHT_SHORT;
  const bands = isShort ? (window >>> 24) & 15 : (window >>> 22) & 63;
  const rate = bandsOf(sampleRate);
  if (bands > (isShort ? rate.short : rate.long).count || (!isShort && (window & (1 << 21)) !== 0)) return false;
  let groups = 1;
  if (isShort) for (let i = 17; i < 24; i++) groups += 1 - ((window >>> i) & 1);
  bit += isShort ? 15 : 11;
  if (isJoint) {
    const mask = wordAt(bytes, from, bit) >>> 30;
    if (mask === 3) return false;
    bit += 2 + 8 + (mask === 1 ? groups * bands : 0);
  }
  return areSectionsValid(bytes, from, bit, end, bands, groups, isShort ? 3 : 5);
}

function areSectionsValid(
  bytes: Uint8Array,
  from: number,
  start: number,
  end: number,
  bands: number,
  groups: number,
  lengthBits: number,
): boolean {
  const continued = (1 << lengthBits) - 1;
  let bit = start;
  let books = 0;
  for (let group = 0; group < groups; group++) {
    let band = 0;
    while (band < bands) {
      if (bit > end) return false;
      const word = wordAt(bytes, from, bit);
      const book = word >>> 28;
      const length = (word << 4) >>> (32 - lengthBits);
      if (book === RESERVED_CODEBOOK || length === continued) return false;
      books |= book;
      band += length;
      bit += 4 + lengthBits;
    }
    if (band > bands) return false;
  }
  isStartZero = books === 0;
  return true;
}

/** The bits from `bit` on; at least 25 of them are data. */
function wordAt(bytes: Uint8Array, from: number, bit: number): number {
  const at = from + (bit >>> 3);
  const word =
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number);
  return word << (bit & 7);
}

/** Syncword, layer 0, and a length that is the frame's (1.A.2.2). */
function isAdts(bytes: Uint8Array, from: number, to: number, size: number): boolean {
  if (to - from < 7 || bytes[from] !== 0xff || ((bytes[from + 1] as number) & 0xf6) !== 0xf0) return false;
  const length =
    (((bytes[from + 3] as number) & 3) << 11) | ((bytes[from + 4] as number) << 3) | ((bytes[from + 5] as number) >> 5);
  return length === size;
}

function elementFault(config: AudioSpecificConfig): string {
  const { channelConfiguration } = config;
  for (;;) {
    const id = BITS.u(3);
    if (BITS.isOver) return '';
    if (id === FIL) skipFill();
    else if (id === DSE) skipData();
    else if (id === END) return 'no channel element';
    else if (id === PCE || channelConfiguration === 0) return '';
    else if (id !== (channelConfiguration === 2 ? CPE : SCE)) return 'another element than configured';
    else return id === CPE ? pairFault(config) : singleFault(config);
  }
}

function skipFill(): void {
  let count = BITS.u(4);
  if (count === 15) count += BITS.u(8) - 1;
  BITS.skip(8 * count);
}

function skipData(): void {
  BITS.skip(4);
  const isAligned = BITS.flag();
  let count = BITS.u(8);
  if (count === 255) count += BITS.u(8);
  if (isAligned) BITS.align();
  BITS.skip(8 * count);
}

function singleFault(config: AudioSpecificConfig): string {
  BITS.skip(4 + 8); // element_instance_tag, global_gain
  return windowFault(config) || sectionFault();
}

function pairFault(config: AudioSpecificConfig): string {
  BITS.skip(4);
  if (!BITS.flag()) {
    BITS.skip(8);
    return windowFault(config) || sectionFault();
  }
  const fault = windowFault(config);
  if (fault !== '') return fault;
  const mask = BITS.u(2);
  if (mask === 3) return 'a reserved stereo mask';
  if (mask === 1) BITS.skip(WINDOW.groups * WINDOW.bands);
  BITS.skip(8);
  return sectionFault();
}

/** ics_info of the current element. */
const WINDOW = { isShort: false, bands: 0, groups: 1 };

function windowFault({ sampleRate }: AudioSpecificConfig): string {
  if (BITS.flag()) return 'a reserved bit set';
  WINDOW.isShort = BITS.u(2) === EIGHT_SHORT;
  BITS.flag(); // window_shape
  WINDOW.groups = 1;
  if (WINDOW.isShort) {
    WINDOW.bands = BITS.u(4);
    for (let i = 0; i < 7; i++) if (!BITS.flag()) WINDOW.groups++;
  } else {
    WINDOW.bands = BITS.u(6);
    if (BITS.flag()) return 'prediction, which low complexity excludes';
  }
  const { long, short } = bandsOf(sampleRate);
  return WINDOW.bands > (WINDOW.isShort ? short : long).count ? 'more bands than its sample rate has' : '';
}

/** section_data, 4.4.2.7: the sections of each group end exactly at the last band. */
function sectionFault(): string {
  const lengthBits = WINDOW.isShort ? 3 : 5;
  const continued = (1 << lengthBits) - 1;
  let books = 0;
  for (let group = 0; group < WINDOW.groups; group++) {
    let band = 0;
    while (band < WINDOW.bands) {
      const book = BITS.u(4);
      if (book === RESERVED_CODEBOOK) return 'a reserved codebook';
      books |= book;
      let part = continued;
      while (part === continued && !BITS.isOver) {
        part = BITS.u(lengthBits);
        band += part;
      }
      if (BITS.isOver) return '';
      if (band > WINDOW.bands) return 'a section past the last band';
    }
  }
  isStartZero = books === 0;
  return '';
}
