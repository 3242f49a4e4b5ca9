/**
 * Joins the segments of a recording into one FLV stream with one clock, tag by tag. Pure: tags in, byte slices out.
 * Dropped: metadata (claims of the encoder), frames before a segment's first key frame, repeated configurations.
 * An H.264 configuration that differs from the first one is written into the key frames.
 */
import { SliceList } from '../bytes/slices.js';
import type { FlvTagKind, FlvTagSink } from '../media/flv/file-reader.js';
import { flvFileHeader, flvTag } from '../media/flv/file-writer.js';
import { Timeline } from './timeline.js';

export interface JoinerFindings {
  /** Coded packets written. */
  audio: number;
  video: number;
  /** The settings changed in a way that a copy cannot represent: the recording must be re-encoded. */
  needsEncoding: boolean;
}

const AVC = 7;
const AAC = 10;
/** FrameType and CodecID, AVCPacketType, CompositionTime (FLV E.4.3). */
const AVC_HEADER_BYTES = 5;
const AAC_HEADER_BYTES = 2;

export class FlvJoiner implements FlvTagSink {
  readonly findings: JoinerFindings = { audio: 0, video: 0, needsEncoding: false };
  readonly #timeline = new Timeline();
  #out: Uint8Array[] = [flvFileHeader(true, true)];
  #firstAvc: Uint8Array | undefined;
  #firstAac: Uint8Array | undefined;
  /** Parameter sets to insert into key frames; undefined while the first configuration applies. */
  #sets: Uint8Array | undefined;
  #videoCodec: number | undefined;
  #waitsForKeyFrame = true;
  /** The output and the packets before the last tag. */
  #beforeLast = { pieces: 0, audio: 0, video: 0 };

  /** The output since the last call, in order. Valid as long as the bytes pushed into the reader are. */
  take(): Uint8Array[] {
    const out = this.#out;
    this.#out = [];
    const { audio, video } = this.findings;
    this.#beforeLast = { pieces: 0, audio, video };
    return out;
  }

  /** The last tag was cut off: its back pointer is wrong, and no tag follows. One that was taken stays. */
  dropLast(): void {
    const { pieces, audio, video } = this.#beforeLast;
    this.#out.length = pieces;
    this.findings.audio = audio;
    this.findings.video = video;
  }

  get lengthMs(): number {
    return Math.max(0, this.#timeline.endMs);
  }

  /** `continues`: follows the previous segment without a gap, on the same clock. */
  nextSegment(continues = false): void {
    if (continues) return;
    this.#timeline.nextSegment();
    this.#waitsForKeyFrame = true;
  }

  tag(kind: FlvTagKind, timestampMs: number, payload: SliceList): void {
    const { audio, video } = this.findings;
    this.#beforeLast = { pieces: this.#out.length, audio, video };
    if (kind === 'data' || payload.length < 2) return;
    if (kind === 'video') this.#video(timestampMs, payload);
    else this.#audio(timestampMs, payload);
  }

  #audio(timestampMs: number, payload: SliceList): void {
    const format = payload.byteAt(0) >> 4;
    if (format === AAC && payload.byteAt(1) === 0) {
      this.#aacConfiguration(payload);
      return;
    }
    this.findings.audio++;
    this.#write('audio', this.#timeline.place('audio', timestampMs), payload);
  }

  #aacConfiguration(payload: SliceList): void {
    const config = payload.copy(AAC_HEADER_BYTES, payload.length);
    // ffmpeg sends an empty one first.
    if (config.length === 0 || isSame(config, this.#firstAac)) return;
    if (this.#firstAac !== undefined) this.findings.needsEncoding = true;
    this.#firstAac ??= config;
    this.#write('audio', this.lengthMs, payload);
  }

  #video(timestampMs: number, payload: SliceList): void {
    const first = payload.byteAt(0);
    const isEnhanced = (first & 0x80) !== 0;
    const codec = isEnhanced ? -1 : first & 0x0f;
    this.#videoCodec ??= codec;
    if (codec !== this.#videoCodec) this.findings.needsEncoding = true;
    if (codec === AVC && payload.byteAt(1) === 0) {
      this.#avcConfiguration(payload);
      return;
    }
    const frameType = (first >> 4) & 7;
    // 5: a command frame without a picture; AVCPacketType 2: end of sequence.
    if (frameType === 5 || (codec === AVC && payload.byteAt(1) !== 1)) return;
    if (isEnhanced && (first & 0x0f) === 0) {
      this.#write('video', this.lengthMs, payload);
      return;
    }
    const isKeyFrame = frameType === 1;
    if (this.#waitsForKeyFrame && !isKeyFrame) return;
    this.#waitsForKeyFrame = false;
    this.findings.video++;
    const at = this.#timeline.place('video', timestampMs);
    if (isKeyFrame && codec === AVC && this.#sets !== undefined)
      this.#write('video', at, withSets(payload, this.#sets));
    else this.#write('video', at, payload);
  }

  #avcConfiguration(payload: SliceList): void {
    const record = payload.copy(AVC_HEADER_BYTES, payload.length);
    if (record.length === 0) return;
    if (this.#firstAvc === undefined) {
      this.#firstAvc = record;
      this.#write('video', this.lengthMs, payload);
      return;
    }
    if (isSame(record, this.#firstAvc)) {
      // Back to the first settings: in-band sets may have replaced them in the decoder.
      if (this.#sets !== undefined) this.#sets = inBandParameterSets(record, lengthSizeOf(this.#firstAvc));
      return;
    }
    this.#sets = inBandParameterSets(record, lengthSizeOf(this.#firstAvc));
    if (this.#sets === undefined) this.findings.needsEncoding = true;
  }

  #write(kind: FlvTagKind, timestampMs: number, payload: SliceList): void {
    for (const piece of flvTag(kind, timestampMs, payload)) this.#out.push(piece);
  }
}

function withSets(payload: SliceList, sets: Uint8Array): SliceList {
  const list = SliceList.of(payload.copy(0, AVC_HEADER_BYTES), sets);
  let skip = AVC_HEADER_BYTES;
  for (const view of payload.views()) {
    const rest = view.subarray(Math.min(skip, view.length));
    skip -= view.length - rest.length;
    if (rest.length > 0) list.push(rest, 0, rest.length);
  }
  return list;
}

function isSame(left: Uint8Array, right: Uint8Array | undefined): boolean {
  return right !== undefined && Buffer.compare(left, right) === 0;
}

/**
 * The parameter sets of an AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1) for insertion before the NAL units of a
 * key frame, so that frames after a change of settings can be decoded although the MP4 header has only the first configuration.
 * With length fields; `undefined` when the record is invalid or its length fields have another size.
 */
function inBandParameterSets(record: Uint8Array, lengthSize: number): Uint8Array | undefined {
  if (record.length < 7 || lengthSizeOf(record) !== lengthSize) return undefined;
  const parts: Uint8Array[] = [];
  let at = 5;
  for (const mask of [0x1f, 0xff]) {
    const count = (record[at] ?? 0) & mask;
    at++;
    for (let i = 0; i < count; i++) {
      const size = ((record[at] ?? 0) << 8) | (record[at + 1] ?? 0);
      at += 2;
      if (at + size > record.length) return undefined;
      parts.push(lengthField(size, lengthSize), record.subarray(at, at + size));
      at += size;
    }
  }
  return Buffer.concat(parts);
}

function lengthSizeOf(record: Uint8Array): number {
  return ((record[4] ?? 3) & 3) + 1;
}

function lengthField(size: number, lengthSize: number): Uint8Array {
  const field = new Uint8Array(lengthSize);
  for (let i = 0; i < lengthSize; i++) field[i] = size / 2 ** (8 * (lengthSize - 1 - i));
  return field;
}
