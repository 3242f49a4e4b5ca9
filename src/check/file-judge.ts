/** Applies the live rules to a stream of FLV bytes, with the judge of broadcasts in file mode (no clock). */

import { SliceList } from '../bytes/slices.js';
import { WireError } from '../bytes/wire-error.js';
import type { FileMessage } from '../containers/source/media-file.js';
import { type Now, StreamJudge } from '../judge/judge.js';
import { isObject } from '../lib/objects.js';
import { FlvFileReader, type FlvTagKind, type FlvTagSink } from '../media/flv/file-reader.js';
import { KeyFrameSample } from '../media/flv/latest-headers.js';
import { TAG_HEADER_BYTES } from '../media/flv/sizes.js';
import type { TagHead } from '../media/flv/tag-head.js';
import { type MediaMessage, newMediaMessage } from '../media/media-message.js';
import { DEFAULT_AMF_LIMITS, DEFAULT_RTMP_LIMITS } from '../rtmp/limits.js';
import { readDataMessage } from '../rtmp/messages/command.js';
import { MESSAGE_TYPE } from '../rtmp/protocol.js';
import type { RecordBody } from '../spec/error-record.js';
import { type FileRecord, type Finding, fileRecord } from './file-report.js';
import { MAX_RECORDS } from './limits.js';

export interface FileJudgeOptions {
  /** `live`: the bytes arrive while they are made, at the times of `at`, so rules judged by arrival are judged too. Default: `file`. */
  readonly mode?: 'file' | 'live' | undefined;
  /** The stream was remuxed by ffmpeg, whose name in the metadata is replaced by `encoder`, the tag of the original file. */
  readonly remuxed?: { readonly encoder: string };
  readonly fileBytes?: number;
  /** Keep changes of records for `takeFindings`. */
  readonly collects?: boolean;
  /** Rules beyond the published document; on by default. */
  readonly analysis?: boolean | undefined;
  /** Decodes a key frame, given as an FLV file; undefined if it cannot be decoded. Absent: none is decoded. */
  readonly decode?: ((flv: Uint8Array) => Uint8Array | undefined) | undefined;
  /** Reads bytes of the file that were skipped. Absent: a key frame of which some were skipped is not decoded. */
  readonly reread?: (offset: number, size: number) => Uint8Array;
}

interface LeftOut {
  readonly frames: ReadonlySet<number>;
  next: number;
}

/** PacketType of a coded frame (FLV E.4.2.2, E.4.3.2). */
const CODED = 1;

export class FileJudge {
  readonly #judge: StreamJudge;
  readonly #reader: FlvFileReader;
  readonly #records = new Map<string, RecordBody>();
  /** Codes with their severities, of which at least one record is kept. */
  readonly #kinds = new Set<string>();
  /** Changes since the last `takeFindings`, the latest of each record. */
  readonly #findings = new Map<string, Finding>();
  readonly #collects: boolean;
  readonly #isLiveMode: boolean;
  #hasGoneLive = false;
  /** Since the start; 0 in file mode. */
  #atMs = 0;
  readonly #isRemuxed: boolean;
  readonly #decode: FileJudgeOptions['decode'];
  readonly #reread: FileJudgeOptions['reread'];
  readonly #keyFrame = new KeyFrameSample();
  #messages = 0;
  /** Reused for each message. */
  readonly #mediaMessage = newMediaMessage();
  bytes = 0;
  /** Codes of the rules judged by the whole of a file shorter than their windows. */
  judgedByWhole: readonly number[] = [];
  mediaMessages = 0;
  /** Records beyond `MAX_RECORDS`, which were dropped. */
  droppedRecords = 0;
  /** A key frame had to be decoded, and there is no decoder. */
  lacksDecoder = false;
  /** The container declares tracks that have no packets, so that a file without any is judged too. */
  hasEmptyTracks = false;
  /** By kind: numbers of the frames that an edit list discards, and of the next frame. Empty for most files. */
  readonly #left: { audio?: LeftOut; video?: LeftOut } = {};
  /** Called before each audio or video tag, to feed earlier packets of other tracks. */
  beforeTag: ((timestampMs: number) => void) | undefined;

  constructor({
    mode = 'file',
    remuxed,
    fileBytes = 0,
    analysis = true,
    collects = false,
    decode,
    reread,
  }: FileJudgeOptions = {}) {
    this.#isLiveMode = mode === 'live';
    this.#collects = collects;
    this.#judge = new StreamJudge({
      broadcastId: 'file',
      fence: 1,
      mode,
      secure: true,
      startWallMs: 0,
      analysis,
    });
    this.#isRemuxed = remuxed !== undefined;
    this.#decode = decode;
    this.#reread = reread;
    const sink: FlvTagSink = {
      tag: (kind, timeMs, payload, offset) => this.#tag(kind, timeMs, payload, offset),
      parsePrefix: (head) => this.#parsePrefix(head),
      nextWanted: (payload, progress) =>
        this.#wantsPicture ? payload.length : this.#judge.nextWanted(payload, progress),
    };
    this.#reader = new FlvFileReader(sink, fileBytes);
    this.#judge.connect({ wallMs: 0, atMs: 0, clientName: remuxed?.encoder ?? '' });
  }

  /** The time of what is pushed next, in ms since the start. Live mode only. */
  at(atMs: number): void {
    this.#atMs = Math.max(this.#atMs, atMs);
  }

  /** Advances the clock to the time of `at`. Live mode only. */
  tick(): void {
    this.#judge.tick(this.#now);
    this.#take();
  }

  get #now(): Now {
    return { atMs: this.#atMs, wallMs: this.#atMs };
  }

  /** Frames of a track, by number, that an edit list discards. */
  leaveOut(kind: 'audio' | 'video', frames: ReadonlySet<number>): void {
    if (frames.size > 0) this.#left[kind] = { frames, next: 0 };
  }

  /** The next bytes of the file; they must not change afterwards. @throws WireError for invalid FLV */
  push(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.bytes += to - from;
    this.#reader.push(bytes, from, to);
  }

  /** Number of following bytes that may be passed over with `skip`. */
  get unwanted(): number {
    return this.#reader.unwanted;
  }

  skip(count: number): void {
    this.bytes += count;
    this.#reader.skip(count);
  }

  /** Whether the pushed bytes are still referenced. */
  get holdsBytes(): boolean {
    return this.#reader.holdsBytes;
  }

  /** Ends the file. True when it ends inside a tag. @throws WireError when even the header is missing */
  end(): boolean {
    const truncated = this.#reader.end();
    this.close();
    return truncated;
  }

  /** Closes the open records, also after invalid FLV. */
  close(): void {
    if (this.isJudged && !this.#isLiveMode) this.judgedByWhole = this.#judge.judgeWhole();
    this.#judge.end(this.#now);
    this.#take();
  }

  /** Media time of the stream. */
  get streamTimeMs(): number {
    return this.#judge.streamTimeMs;
  }

  get isJudged(): boolean {
    return this.mediaMessages > 0 || this.hasEmptyTracks;
  }

  get stream() {
    const { openErrors: _open, bytesReceived: _bytes, ...stream } = this.#judge.health();
    return stream;
  }

  get rules() {
    return this.#judge.verdict();
  }

  /** In the order in which they were raised. */
  get errors(): FileRecord[] {
    return [...this.#records.values()].map((body) => fileRecord(body, 0));
  }

  /** Changes of records since the last call: the latest of each record. */
  takeFindings(): Finding[] {
    if (this.#findings.size === 0) return [];
    const findings = [...this.#findings.values()];
    this.#findings.clear();
    return findings;
  }

  /** Judges the next message of a file of another container. */
  message({ kind, timestampMs, payload, isDiscarded, byteOffset }: FileMessage): void {
    this.#judge.isDiscarded = isDiscarded;
    this.#message(kind, timestampMs, payload, byteOffset);
  }

  /** Takes what the container says of its tracks as a message `onMetaData`. */
  claim(claims: Readonly<Record<string, number | boolean>>): void {
    this.#messages++;
    this.#judge.metadata(claims, 0);
  }

  /** Judges one message that is not part of the FLV stream. `payload` is read during the call. */
  packet(kind: FlvTagKind, timestampMs: number, payload: SliceList): void {
    this.#message(kind, timestampMs, payload, 0);
  }

  #tag(kind: FlvTagKind, timestampMs: number, payload: SliceList, byteOffset: number): void {
    if (kind !== 'data') {
      this.beforeTag?.(timestampMs);
      const left = this.#left[kind];
      const isCoded = left !== undefined && payload.length > 1 && payload.byteAt(1) === CODED;
      this.#judge.isDiscarded = isCoded && left.frames.has(left.next++);
    }
    this.#message(kind, timestampMs, payload, byteOffset);
  }

  #parsePrefix(head: TagHead): boolean {
    if (this.#left[head.kind] !== undefined) return false;
    this.beforeTag?.(head.timestampMs);
    if (!this.#judge.parsePrefix(head, this.#messages + 1, this.#atMs)) return false;
    this.#messages++;
    this.#mediaSeen();
    return true;
  }

  #message(kind: FlvTagKind, timestampMs: number, payload: SliceList, byteOffset: number): void {
    this.#messages++;
    const message = this.#mediaMessage;
    message.payload = payload;
    message.timestampMs = timestampMs;
    message.messageNumber = this.#messages;
    message.byteOffset = byteOffset;
    message.atMs = this.#atMs;
    if (kind === 'video') this.#video(message);
    else if (kind === 'audio') this.#judge.audio(message);
    else this.#data(payload, timestampMs);
    if (kind !== 'data') this.#mediaSeen();
    else if (this.#judge.changed) this.#take();
  }

  #mediaSeen(): void {
    this.mediaMessages++;
    if (this.#isLiveMode && !this.#hasGoneLive && this.#judge.valid) {
      this.#hasGoneLive = true;
      this.#judge.goLive(this.#now);
    }
    if (this.#judge.changed) this.#take();
  }

  get #wantsPicture(): boolean {
    return this.#decode !== undefined && this.#judge.wantsPicture;
  }

  #video(message: MediaMessage): void {
    const { payload, byteOffset } = message;
    this.#judge.video(message);
    if (this.#keyFrame.observe(payload)) return;
    if (this.#decode === undefined && this.#judge.wantsPicture) this.lacksDecoder = true;
    if (!this.#wantsPicture) return;
    if (payload.hasHoles && this.#reread === undefined) return;
    const number = this.#judge.askPicture();
    if (number === 0) return;
    const flv = this.#keyFrame.file(this.#whole(payload, byteOffset + TAG_HEADER_BYTES));
    this.#judge.picture(number, flv === undefined ? undefined : this.#decode?.(flv));
  }

  /** Which bytes were skipped depends on how the file is read, but not what is found. */
  #whole(payload: SliceList, offset: number): SliceList {
    if (!payload.hasHoles || this.#reread === undefined) return payload;
    return SliceList.of(this.#reread(offset, payload.length));
  }

  /** Malformed metadata is ignored, as in a broadcast. */
  #data(payload: SliceList, timestampMs: number): void {
    try {
      const { commandBytes } = DEFAULT_RTMP_LIMITS;
      const message = readDataMessage(MESSAGE_TYPE.dataAmf0, payload, DEFAULT_AMF_LIMITS, commandBytes);
      if (message.name === 'onMetaData') this.#judge.metadata(this.#claims(message.values[0]), this.#atMs);
      else this.#judge.data(message.name, message.values, timestampMs, this.#atMs);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
  }

  /** The claims that an ffmpeg which publishes this file would send, without its own name. */
  #claims(value: unknown): unknown {
    if (!this.#isRemuxed || !isObject(value)) return value;
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return Object.fromEntries(entries.filter(([name]) => name !== 'encoder'));
  }

  #take(): void {
    for (const { change, body } of this.#judge.takeChanges()) {
      const isNew = !this.#records.has(body.id);
      const kind = `${body.error_code} ${body.severity}`;
      if (isNew && this.#records.size >= MAX_RECORDS && this.#kinds.has(kind)) {
        this.droppedRecords++;
        continue;
      }
      this.#kinds.add(kind);
      this.#records.set(body.id, body);
      if (!this.#collects) continue;
      const told = this.#findings.get(body.id)?.change === 'raised' ? 'raised' : change;
      this.#findings.set(body.id, { change: told, id: body.id, record: fileRecord(body, 0) });
    }
  }
}
