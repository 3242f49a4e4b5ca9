/**
 * Data messages of a running stream other than onMetaData: texts, captions, cue points and time codes. They have no common
 * standard; the handlers are those that encoders and players use.
 */
import { isObject, isRecord } from '../../lib/objects.js';
import { MAX_SECTION_BYTES, readSpliceInfo, type SpliceInfo } from './splice-info.js';
import { type Timecode, timecodeOf } from './timecode.js';

export type TimedDataKind = 'text' | 'captions' | 'cues' | 'timecode';

export interface TimedData {
  readonly kind: TimedDataKind;
  readonly name: string;
  /** An SCTE 35 section in base64 or hexadecimal digits, where vendors put one. */
  readonly splice: SpliceInfo | undefined;
  readonly timecode: Timecode | undefined;
}

/** `onFI` is that of Flash Media Live Encoder: `tc` SMPTE time code, `st` time of day. */
const KINDS: ReadonlyMap<string, TimedDataKind> = new Map([
  ['onTextData', 'text'],
  ['onCaption', 'captions'],
  ['onCaptionInfo', 'captions'],
  ['onCuePoint', 'cues'],
  ['onFI', 'timecode'],
  ['onTimecode', 'timecode'],
]);
const TIMECODE_FIELDS = ['tc', 'timecode', 'st'];
/** Work for one message is bounded: values that are looked at, their depth, and characters of a section. */
const MAX_VALUES = 64;
const MAX_DEPTH = 4;
const MAX_TEXT = 2 + 2 * MAX_SECTION_BYTES;
/** 0xFC in base64 gives `/` and one of `A` to `P`; the length of a section begins with 00 or 01. */
const BASE64 = /^\/[A-P][A-Za-z0-9+/]{24,}={0,2}$/;
const HEXADECIMAL = /^(?:0x)?fc(?:[0-9a-f]{2}){19,}$/i;

/** Content of a message; undefined for handlers that are not known and carry no cue. */
export function readTimedData(name: string, values: readonly unknown[]): TimedData | undefined {
  const kind = KINDS.get(name);
  if (kind === 'timecode') return { kind, name, splice: undefined, timecode: timecodeIn(values) };
  const splice = kind === undefined || kind === 'cues' ? spliceIn(values) : undefined;
  if (kind === undefined && splice === undefined) return undefined;
  // The name of an unknown handler is a stranger's text.
  return { kind: kind ?? 'cues', name: kind === undefined ? 'other' : name, splice, timecode: undefined };
}

function timecodeIn(values: readonly unknown[]): Timecode | undefined {
  for (const value of values) {
    const found = isRecord(value) ? TIMECODE_FIELDS.map((field) => timecodeOf(value[field])) : [timecodeOf(value)];
    const [timecode] = found.filter((one) => one !== undefined);
    if (timecode !== undefined) return timecode;
  }
  return undefined;
}

function spliceIn(values: readonly unknown[]): SpliceInfo | undefined {
  let left = MAX_VALUES;
  const search = (value: unknown, depth: number): SpliceInfo | undefined => {
    if (left-- <= 0) return undefined;
    if (typeof value === 'string') return spliceOf(value);
    if (!isObject(value) || depth === MAX_DEPTH) return undefined;
    if (value instanceof Uint8Array) return readSpliceInfo(value);
    for (const member of Object.values(value)) {
      const found = search(member, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(values, 0);
}

function spliceOf(text: string): SpliceInfo | undefined {
  if (text.length > MAX_TEXT) return undefined;
  if (BASE64.test(text)) return readSpliceInfo(Buffer.from(text, 'base64'));
  return HEXADECIMAL.test(text) ? readSpliceInfo(Buffer.from(text.replace(/^0x/i, ''), 'hex')) : undefined;
}
