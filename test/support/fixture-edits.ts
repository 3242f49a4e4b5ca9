/**
 * Named changes of a finished stream, for what no encoder can be asked to do: packets left out, put in, moved in time or
 * given other bytes. Times are since the first message of the stream (`from_ms` inclusive, `to_ms` exclusive).
 */
import { bytesOf, concat } from './bit-writer.js';
import { type TimecodeJumps, timecodeNal, withNal } from './caption-writer.js';
import { besideBody, type EnhancedForm, enhance, isHeader, isKeyFrame } from './fixture-enhance.js';
import { inBlocks, type Step, swap, type Timed } from './fixture-order.js';
import { avcSequenceHeader, legacyAudio, legacyVideo, type MetadataValue, onMetaData } from './flv-writer.js';
import {
  type AvccFields,
  accessUnitDelimiter,
  buildAvcc,
  buildPps,
  buildSps,
  lengthPrefixed,
  type SpsFields,
  seiRecoveryPoint,
  seiX264,
  slice,
} from './h264-writer.js';
import type { SynthMessage } from './synth-stream.js';

interface Range {
  readonly kind?: SynthMessage['kind'];
  readonly from_ms?: number;
  readonly to_ms?: number;
}

export type NalName =
  | 'aud'
  | 'x264'
  | 'recovery-point'
  | 'pps'
  | { readonly sps: SpsFields }
  | { readonly hex: string };

/** `[name, what]`. */
export type Edit =
  /** Drops messages; of coded ones only each `every`-th, if given. Sequence headers stay unless `headers`. */
  | ['drop', Range & { readonly every?: number; readonly headers?: boolean }]
  /** Puts in a message before the first one of that time. */
  | [
      'insert',
      { readonly kind: SynthMessage['kind']; readonly at_ms: number; readonly hex: string; readonly every_ms?: number },
    ]
  /** Adds to time stamps, modulo 2^32. */
  | ['shift', Range & { readonly by_ms: number }]
  /** Frames of a variable rate: distances in turn, in place of even ones. */
  | ['uneven', Range & { readonly add_ms: readonly number[] }]
  /** Keeps only this many bits of the timestamps. */
  | ['wrap', { readonly bits: number }]
  /** Composition time of every coded picture. */
  | ['composition-time', Range & { readonly ms: number }]
  /** Repeats a sequence header with each key frame, or at this interval in milliseconds. */
  | ['repeat-header', Range & { readonly every_ms?: number }]
  /** Metadata: other values, another form, another place or again and again. */
  | [
      'metadata',
      {
        readonly values?: Record<string, MetadataValue>;
        readonly form?: 'object';
        readonly at_ms?: number;
        readonly every_ms?: number;
      },
    ]
  /** Moves all sequence headers of a kind to a time. */
  | ['late-header', { readonly kind: 'video' | 'audio'; readonly at_ms: number }]
  /** Another avcC from a time on; with `frames`, parameter sets before the slices of each key frame, too. */
  | [
      'avcc',
      {
        readonly from_ms?: number;
        readonly to_ms?: number;
        readonly sps: readonly SpsFields[];
        readonly fields?: AvccFields;
      },
    ]
  /** Parameter sets put before the slices of each key frame. */
  | ['in-band', Range & { readonly sps: readonly SpsFields[]; readonly pps?: boolean }]
  /** Key frames coded as fields. */
  | ['field-slices', Range]
  /** Old codecs: the codec's number in the tag header, and filling. */
  | ['legacy-video', Range & { readonly codec_id: number }]
  | ['legacy-audio', Range & { readonly sound_format: number; readonly low_bits: number }]
  /** The low bits of the AAC tag byte, which say nothing. */
  | ['audio-low-bits', { readonly bits: number }]
  /** Codec number of coded AVC tags, headers included. */
  | ['codec-id', { readonly codec_id: number }]
  /** ffmpeg's first AAC header, which is empty. */
  | ['empty-audio-header', Record<string, never>]
  /** Legacy H.264 or AAC put into Enhanced RTMP. */
  | ['enhanced', Range & EnhancedForm]
  /** A second track in multitrack framing beside each video message, as encoders send renditions. */
  | ['beside', { readonly track_id: number }]
  /** Sequence headers of video hold these bytes. */
  | ['config-bytes', { readonly hex: string }]
  /** Bytes of inter frames overwritten at an offset, or put in there. */
  | [
      'overwrite',
      Range & { readonly offset: number; readonly hex: string; readonly every?: number; readonly insert?: boolean },
    ]
  /** Picture timing messages with the time code of each picture. */
  | ['timecode', Range & TimecodeJumps]
  /** Other bytes in place of coded messages, in turn. */
  | ['body', Range & { readonly hex: readonly string[] }]
  /** A NAL unit before the slices of each picture. */
  | ['nal', Range & { readonly hex: string }]
  /** Messages of a track are sent in blocks of this length, each after the other track's. */
  | ['blocks', { readonly kind: 'video' | 'audio'; readonly ms: number }]
  /** Two messages of a track change places. */
  | ['swap', { readonly kind: 'video' | 'audio'; readonly at_ms: number }];

export function applyEdits(messages: Iterable<SynthMessage>, edits: readonly Edit[]): Iterable<SynthMessage> {
  if (edits.length === 0) return messages;
  let timed: Iterable<Timed> = withTimes(messages);
  for (const edit of edits) timed = stepOf(edit)(timed);
  return timed;
}

export function nalsOf(names: readonly NalName[]): Uint8Array[] {
  return names.map((name) => {
    if (name === 'aud') return accessUnitDelimiter();
    if (name === 'x264') return seiX264();
    if (name === 'recovery-point') return seiRecoveryPoint();
    if (name === 'pps') return buildPps();
    return 'sps' in name ? buildSps(name.sps) : bytesOf(name.hex);
  });
}

function* withTimes(messages: Iterable<SynthMessage>): Generator<Timed> {
  let lastMs: number | undefined;
  let atMs = 0;
  for (const message of messages) {
    atMs += (message.timestampMs - (lastMs ?? message.timestampMs)) | 0;
    lastMs = message.timestampMs;
    yield { ...message, atMs };
  }
}

const isIn = ({ kind, from_ms = 0, to_ms = Infinity }: Range, message: Timed): boolean =>
  (kind === undefined || kind === message.kind) && message.atMs >= from_ms && message.atMs < to_ms;

const isCoded = (message: SynthMessage): boolean => message.kind !== 'data' && !isHeader(message);

const at = (message: Timed, timestampMs: number): Timed => ({ ...message, timestampMs: timestampMs >>> 0 });
const as = (message: Timed, payload: Uint8Array): Timed => ({ ...message, payload });

/** Each message by itself. */
function each(change: (message: Timed) => Timed | readonly Timed[]): Step {
  return function* (messages) {
    for (const message of messages) {
      const changed = change(message);
      if (Array.isArray(changed)) yield* changed;
      else yield changed as Timed;
    }
  };
}

/** Calls `make` for each time that has come, before the message of that time. */
function timed(atMs: number, everyMs: number | undefined, make: (now: Timed) => readonly Timed[]): Step {
  let nextMs = atMs;
  return each((message) => {
    const before: Timed[] = [];
    while (message.atMs >= nextMs) {
      before.push(...make(message));
      nextMs = everyMs === undefined ? Infinity : nextMs + everyMs;
    }
    return [...before, message];
  });
}

function stepOf([name, what]: Edit): Step {
  switch (name) {
    case 'drop': {
      let count = 0;
      return each((message) => {
        if (!isIn(what, message) || (what.headers !== true && !isCoded(message) && message.kind !== 'data'))
          return message;
        return what.every === undefined || ++count % what.every === 0 ? [] : message;
      });
    }
    case 'insert':
      return timed(what.at_ms, what.every_ms, (now) => [{ ...now, kind: what.kind, payload: bytesOf(what.hex) }]);
    case 'shift':
      return each((message) => (isIn(what, message) ? at(message, message.timestampMs + what.by_ms) : message));
    case 'uneven': {
      let count = 0;
      return each((message) => {
        if (!isIn(what, message) || !isCoded(message)) return message;
        return at(message, message.timestampMs + (what.add_ms[count++ % what.add_ms.length] ?? 0));
      });
    }
    case 'wrap':
      return each((message) => at(message, message.timestampMs % 2 ** what.bits));
    case 'composition-time':
      return each((message) => {
        if (message.kind !== 'video' || !isIn(what, message) || isHeader(message)) return message;
        return as(message, concat(message.payload.subarray(0, 2), i24(what.ms), message.payload.subarray(5)));
      });
    case 'repeat-header':
      return repeatHeader(what);
    case 'metadata':
      return metadata(what);
    case 'late-header':
      return lateHeader(what);
    case 'avcc':
      return each((message) => {
        if (message.kind !== 'video' || !isHeader(message) || !isIn(what, message)) return message;
        return as(message, avcSequenceHeader(buildAvcc({ ...what.fields, sps: what.sps.map((sps) => buildSps(sps)) })));
      });
    case 'in-band':
      return inBand(what);
    case 'field-slices':
      return fieldSlices(what);
    case 'legacy-video':
      return each((message) => {
        if (message.kind !== 'video' || !isIn(what, message)) return message;
        if (isHeader(message)) return [];
        return as(message, legacyVideo(isKeyFrame(message) ? 1 : 2, what.codec_id, message.payload.subarray(1)));
      });
    case 'legacy-audio':
      return each((message) => {
        if (message.kind !== 'audio' || !isIn(what, message)) return message;
        return isHeader(message)
          ? []
          : as(message, legacyAudio(what.sound_format, message.payload.subarray(2), what.low_bits));
      });
    case 'audio-low-bits':
      return each((message) => {
        if (message.kind !== 'audio') return message;
        return as(message, legacyAudio(10, message.payload.subarray(1), what.bits));
      });
    case 'codec-id':
      return each((message) => {
        if (message.kind !== 'video') return message;
        const first = ((message.payload[0] ?? 0) & 0xf0) | what.codec_id;
        return as(message, concat(Uint8Array.of(first), message.payload.subarray(1)));
      });
    case 'empty-audio-header': {
      let done = false;
      return each((message) => {
        if (done || message.kind !== 'audio' || !isHeader(message)) return message;
        done = true;
        return [as(message, message.payload.subarray(0, 2)), message];
      });
    }
    case 'enhanced':
      return each((message) =>
        message.kind === 'data' || !isIn(what, message) ? message : as(message, enhance(message, what)),
      );
    case 'beside':
      return each((message) =>
        message.kind === 'video' ? [message, as(message, besideBody(message, what.track_id))] : message,
      );
    case 'config-bytes':
      return each((message) =>
        message.kind === 'video' && isHeader(message) ? as(message, avcSequenceHeader(bytesOf(what.hex))) : message,
      );
    case 'overwrite': {
      let count = 0;
      return each((message) => {
        if (!isIn(what, message) || !isCoded(message) || isKeyFrame(message)) return message;
        if (count++ % (what.every ?? 1) !== 0) return message;
        const bytes = bytesOf(what.hex);
        const rest = message.payload.subarray(what.offset + (what.insert === true ? 0 : bytes.length));
        return as(message, concat(message.payload.subarray(0, what.offset), bytes, rest));
      });
    }
    case 'body': {
      const bodies = what.hex.map(bytesOf);
      let count = 0;
      return each((message) => {
        const body = bodies[count % bodies.length];
        if (body === undefined || !isIn(what, message) || !isCoded(message)) return message;
        count++;
        return as(message, body);
      });
    }
    case 'timecode':
    case 'nal':
      return each((message) => {
        if (message.kind !== 'video' || isHeader(message) || !isIn(what, message)) return message;
        return as(
          message,
          withNal(message.payload, 'hex' in what ? bytesOf(what.hex) : timecodeNal(message.atMs, what)),
        );
      });
    case 'swap':
      return swap(what);
    case 'blocks':
      return (messages) => inBlocks(messages, what);
  }
}

function i24(value: number): Uint8Array {
  return Uint8Array.of((value >> 16) & 255, (value >> 8) & 255, value & 255);
}

function repeatHeader(what: Range & { readonly every_ms?: number }): Step {
  let header: Timed | undefined;
  let lastMs = 0;
  return each((message) => {
    if (isHeader(message) && message.kind === (what.kind ?? 'video')) header = message;
    if (header === undefined || !isIn({ ...what, kind: header.kind }, message) || !isCoded(message)) return message;
    const due = what.every_ms === undefined ? isKeyFrame(message) : message.atMs - lastMs >= what.every_ms;
    if (!due) return message;
    lastMs = message.atMs;
    return [as(message, header.payload), message];
  });
}

type MetadataEdit = Extract<Edit, ['metadata', unknown]>[1];

function metadata({ values, form, at_ms, every_ms }: MetadataEdit): Step {
  let payload: Uint8Array | undefined = values === undefined ? undefined : body(values, form);
  const say: Step = timed(at_ms ?? 0, every_ms, (now) =>
    payload === undefined ? [] : [{ ...now, kind: 'data', payload }],
  );
  return (messages) =>
    say(
      each((message) => {
        if (message.kind !== 'data') return message;
        payload ??= message.payload;
        return [];
      })(messages),
    );
}

/** An ECMA array, or the same as a plain object: its marker is 3 and it has no count. */
function body(values: Record<string, MetadataValue>, form: 'object' | undefined): Uint8Array {
  const array = onMetaData(values);
  if (form === undefined) return array;
  const marker = array.indexOf(8, 16 + 3 + 'onMetaData'.length);
  return concat(array.subarray(0, marker), Uint8Array.of(3), array.subarray(marker + 5));
}

function lateHeader(what: { readonly kind: 'video' | 'audio'; readonly at_ms: number }): Step {
  let header: Timed | undefined;
  return each((message) => {
    if (message.kind === what.kind && isHeader(message) && message.atMs < what.at_ms) {
      header = message;
      return [];
    }
    if (header === undefined || message.atMs < what.at_ms) return message;
    const late = as({ ...message, kind: what.kind }, header.payload);
    header = undefined;
    return [late, message];
  });
}

function inBand(what: Extract<Edit, ['in-band', unknown]>[1]): Step {
  const sets = [...what.sps.map((sps) => buildSps(sps)), ...(what.pps === false ? [] : [buildPps()])];
  const prefix = lengthPrefixed(sets);
  return each((message) => {
    if (!isKeyFrame(message) || !isIn(what, message)) return message;
    return as(message, concat(message.payload.subarray(0, 5), prefix, message.payload.subarray(5)));
  });
}

/** The first slice of each key frame says field_pic_flag 1; sizes stay. */
function fieldSlices(what: Range): Step {
  return each((message) => {
    if (!isKeyFrame(message) || !isIn(what, message)) return message;
    const size = message.payload.length - 5;
    const field = lengthPrefixed([slice({ idr: true, size: size - 4, fieldPic: true })]);
    return as(message, concat(message.payload.subarray(0, 5), field));
  });
}
