/**
 * One segment of a recording: the FLV file (FLV E.2, E.3) of one connection. Packets are copied into reusable buffers:
 * a gathering write of network buffers costs five times as much as the copy and keeps those buffers from being reused.
 * Nothing here creates a promise or a timer. An FLV file truncated anywhere plays to its last whole tag. The back pointer
 * of a tag is written with the next tag's header.
 */
import {
  closeSync,
  close as fsClose,
  fdatasync as fsDatasync,
  open as fsOpen,
  writev as fsWritev,
  mkdir,
} from 'node:fs';
import { dirname } from 'node:path';
import type { PayloadBuffers } from '../../bytes/payload-buffers.js';
import type { SliceList } from '../../bytes/slices.js';
import { flvFileHeader, MAX_FLV_TAG_BODY_BYTES } from '../../media/flv/file-writer.js';
import { RECORDER } from './limits.js';

export type MediaKind = 'audio' | 'video' | 'data';

const TAG_TYPE: Readonly<Record<MediaKind, number>> = { audio: 8, video: 9, data: 18 };
/** Back pointer of the previous tag, then the tag header. */
const TAG_START_BYTES = 15;
/** FLV E.2: the file header. The first back pointer, 0, is written with the first tag. */
const FILE_HEADER_BYTES = 9;

export interface SegmentEvents {
  /** Data is queued; called at most once before the next `flush`, and once more at the end of the segment. */
  dirty(segment: SegmentFile): void;
  /** The segment accepts no more bytes; the file is truncated at this point. */
  failed(segment: SegmentFile, error: Error): void;
  /** Everything is on disk and the file is closed. */
  closed(segment: SegmentFile): void;
  /** The number of queued bytes of all segments changed. */
  waiting(deltaBytes: number): void;
}

export class SegmentFile {
  readonly liveVideoId: string;
  readonly path: string;
  /** Written to since the last sync. */
  needsSync = false;
  #descriptor: number | undefined;
  /** The buffer being filled; the bytes before `#from` are written or being written. */
  #buffer: Uint8Array | undefined;
  #from = 0;
  #to = 0;
  /** Full buffers, each with the offset of its first unwritten byte. */
  #full: { readonly buffer: Uint8Array; readonly from: number }[] = [];
  #queuedBytes = 0;
  #writtenBytes = 0;
  #lastTagBytes = 0;
  #busy = false;
  #dirty = false;
  #state: 'open' | 'ending' | 'closed' = 'open';
  readonly #tagStart = new Uint8Array(TAG_START_BYTES);
  readonly #buffers: PayloadBuffers;
  readonly #events: SegmentEvents;

  constructor(liveVideoId: string, path: string, buffers: PayloadBuffers, events: SegmentEvents) {
    this.liveVideoId = liveVideoId;
    this.path = path;
    this.#buffers = buffers;
    this.#events = events;
    this.#put(flvFileHeader(true, true), 0, FILE_HEADER_BYTES);
    this.#open();
  }

  get waitingBytes(): number {
    return this.#queuedBytes;
  }

  get isIdle(): boolean {
    return !this.#busy;
  }

  /** Accepts packets. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Appends a tag with `payload`, without its first `skip` bytes. */
  append(kind: MediaKind, timestampMs: number, payload: SliceList, skip: number): void {
    const size = payload.length - skip;
    if (this.#state !== 'open' || size < 0 || size > MAX_FLV_TAG_BODY_BYTES) return;
    this.#putTagStart(TAG_TYPE[kind], size, timestampMs);
    let rest = skip;
    for (let i = 0; i < payload.count; i++) {
      const start = (payload.starts[i] as number) + rest;
      const end = payload.ends[i] as number;
      rest = Math.max(0, start - end);
      if (start < end) this.#put(payload.buffers[i] as Uint8Array, start, end);
    }
    this.#lastTagBytes = 11 + size;
    this.#markDirty();
  }

  #putTagStart(type: number, size: number, timestampMs: number): void {
    const start = this.#tagStart;
    putUint32(start, 0, this.#lastTagBytes);
    putUint32(start, 4, size);
    start[4] = type;
    const time = timestampMs >>> 0;
    putUint32(start, 8, (time << 8) >>> 0);
    start[11] = time >>> 24;
    this.#put(start, 0, TAG_START_BYTES);
  }

  #put(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      this.#buffer ??= this.#buffers.take();
      const buffer = this.#buffer;
      const size = Math.min(to - at, buffer.length - this.#to);
      buffer.set(bytes.subarray(at, at + size), this.#to);
      at += size;
      this.#to += size;
      if (this.#to === buffer.length) {
        this.#full.push({ buffer, from: this.#from });
        this.#buffer = undefined;
        this.#from = 0;
        this.#to = 0;
      }
    }
    this.#queuedBytes += to - from;
    this.#events.waiting(to - from);
  }

  #markDirty(): void {
    if (this.#dirty) return;
    this.#dirty = true;
    this.#events.dirty(this);
  }

  /** Starts one gathering write of the queue. False: there is nothing to do now. */
  flush(done: () => void): boolean {
    const descriptor = this.#descriptor;
    if (descriptor === undefined || this.#busy || this.#state === 'closed') return false;
    this.#dirty = false;
    if (this.#isEmpty) return this.#state === 'ending' && this.#finish(descriptor, done);
    const full = this.#full;
    const pieces = full.map(({ buffer, from }) => buffer.subarray(from));
    // Bytes appended from here on lie after those being written.
    if (this.#buffer !== undefined && this.#to > this.#from) pieces.push(this.#buffer.subarray(this.#from, this.#to));
    this.#full = [];
    this.#from = this.#to;
    this.#busy = true;
    this.#write(descriptor, pieces, () => {
      for (const { buffer } of full) this.#buffers.release(buffer);
      done();
    });
    return true;
  }

  get #isEmpty(): boolean {
    return this.#full.length === 0 && this.#from === this.#to;
  }

  #write(descriptor: number, pieces: Uint8Array[], done: () => void): void {
    fsWritev(descriptor, pieces, this.#writtenBytes, (error, written = 0) => {
      this.#writtenBytes += written;
      this.#settle(written);
      const rest = error === null ? withoutFirst(pieces, written) : [];
      if (rest.length > 0 && written > 0) {
        this.#write(descriptor, rest, done);
        return;
      }
      this.#busy = false;
      this.needsSync = true;
      if (error !== null || rest.length > 0)
        this.#fail(error ?? new Error('short write: the disk accepted no more bytes'));
      else if (!this.#isEmpty || this.#state === 'ending') this.#markDirty();
      done();
    });
  }

  #settle(bytes: number): void {
    this.#queuedBytes -= bytes;
    this.#events.waiting(-bytes);
  }

  sync(done: () => void): void {
    const descriptor = this.#descriptor;
    if (descriptor === undefined || this.#busy) {
      done();
      return;
    }
    this.#busy = true;
    this.needsSync = false;
    fsDatasync(descriptor, (error) => {
      this.#busy = false;
      if (error !== null) this.#fail(error);
      else if (!this.#isEmpty || this.#state === 'ending') this.#markDirty();
      done();
    });
  }

  /** Accepts no more packets; the queue is written and synced, and the file closed. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    const backPointer = new Uint8Array(4);
    putUint32(backPointer, 0, this.#lastTagBytes);
    this.#put(backPointer, 0, backPointer.length);
    this.#dirty = true;
    this.#events.dirty(this);
  }

  #finish(descriptor: number, done: () => void): boolean {
    this.#busy = true;
    fsDatasync(descriptor, (error) => {
      if (error !== null) {
        this.#fail(error);
        done();
        return;
      }
      fsClose(descriptor, () => {
        this.#close();
        done();
      });
    });
    return true;
  }

  #open(): void {
    mkdir(dirname(this.path), { recursive: true, mode: 0o700 }, (folderError) => {
      if (folderError !== null) {
        this.#fail(folderError);
        return;
      }
      fsOpen(this.path, 'wx', 0o600, (error, descriptor) => {
        if (error !== null) {
          this.#fail(error);
          return;
        }
        if (this.#state === 'closed') {
          closeSync(descriptor);
          return;
        }
        this.#descriptor = descriptor;
        this.#dirty = false;
        this.#markDirty();
      });
    });
  }

  #fail(error: Error): void {
    if (this.#state === 'closed') return;
    const descriptor = this.#descriptor;
    if (descriptor !== undefined) closeSync(descriptor);
    this.#events.failed(this, error);
    this.#close();
  }

  #close(): void {
    this.#state = 'closed';
    this.#descriptor = undefined;
    this.#busy = false;
    this.needsSync = false;
    for (const { buffer } of this.#full) this.#buffers.release(buffer);
    this.#full = [];
    // A write may still use the buffer: drop it instead of returning it to the pool.
    this.#buffer = undefined;
    this.#from = this.#to;
    this.#settle(this.#queuedBytes);
    this.#events.closed(this);
  }

  /** Whether the disk is so far behind that frames must be dropped. */
  get isBehind(): boolean {
    return this.#queuedBytes > RECORDER.queueBytes;
  }
}

function putUint32(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

/** What remains after a short write. */
function withoutFirst(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let rest = bytes;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Uint8Array;
    if (rest < piece.length) return [piece.subarray(rest), ...pieces.slice(i + 1)];
    rest -= piece.length;
  }
  return [];
}
