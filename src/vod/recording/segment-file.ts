/**
 * One segment of a recording: the FLV file (FLV E.2, E.3) of one connection. Packets are queued as views of the network
 * buffers and written in gatherings by the flusher; nothing here makes a promise or a timer. An FLV file that is cut
 * anywhere plays to its last whole tag. The back pointer of a tag is written with the next tag's header.
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
import type { SliceList } from '../../bytes/slices.js';
import { flvFileHeader, MAX_FLV_TAG_BODY_BYTES } from '../../media/flv/file-writer.js';
import { RECORDER } from './limits.js';

export type MediaKind = 'audio' | 'video' | 'data';

const TAG_TYPE: Readonly<Record<MediaKind, number>> = { audio: 8, video: 9, data: 18 };
/** Back pointer of the tag before, then the header. */
const PIECE_BYTES = 15;
const SLAB_BYTES = 64 * 1024;
/** FLV E.2: signature and the first back pointer, which is 0 and goes out with the first tag. */
const FILE_HEADER_BYTES = 9;

export interface SegmentEvents {
  /** Something waits; called at most once until `flush` was. */
  dirty(segment: SegmentFile): void;
  /** No byte goes in any more; the file was cut there. */
  failed(segment: SegmentFile, error: Error): void;
  /** Everything is on the disk and the file is closed. */
  closed(segment: SegmentFile): void;
  /** Bytes that wait in all segments grew or shrank. */
  waiting(deltaBytes: number): void;
}

export class SegmentFile {
  readonly liveVideoId: string;
  readonly path: string;
  /** Written since the last synchronisation. */
  needsSync = false;
  #descriptor: number | undefined;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #writtenBytes = 0;
  #lastTagBytes = 0;
  #busy = false;
  #dirty = false;
  #state: 'open' | 'ending' | 'closed' = 'open';
  #slab = new Uint8Array(0);
  #slabUsed = 0;
  readonly #events: SegmentEvents;

  constructor(liveVideoId: string, path: string, events: SegmentEvents) {
    this.liveVideoId = liveVideoId;
    this.path = path;
    this.#events = events;
    this.#enqueue(flvFileHeader(true, true).subarray(0, FILE_HEADER_BYTES));
    this.#open();
  }

  get waitingBytes(): number {
    return this.#queuedBytes;
  }

  get isIdle(): boolean {
    return !this.#busy;
  }

  /** Packets still go in. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** A tag of `payload` without its first `skip` bytes. */
  append(kind: MediaKind, timestampMs: number, payload: SliceList, skip: number): void {
    const size = payload.length - skip;
    if (this.#state !== 'open' || size < 0 || size > MAX_FLV_TAG_BODY_BYTES) return;
    this.#enqueue(this.#tagStart(TAG_TYPE[kind], size, timestampMs));
    let rest = skip;
    for (let i = 0; i < payload.count; i++) {
      const start = (payload.starts[i] as number) + rest;
      const end = payload.ends[i] as number;
      rest = Math.max(0, start - end);
      if (start < end) this.#enqueue((payload.buffers[i] as Uint8Array).subarray(start, end));
    }
    this.#lastTagBytes = 11 + size;
    this.#markDirty();
  }

  #tagStart(type: number, size: number, timestampMs: number): Uint8Array {
    if (this.#slabUsed + PIECE_BYTES > this.#slab.length) {
      this.#slab = new Uint8Array(SLAB_BYTES);
      this.#slabUsed = 0;
    }
    const slab = this.#slab;
    const at = this.#slabUsed;
    this.#slabUsed += PIECE_BYTES;
    putUint32(slab, at, this.#lastTagBytes);
    putUint32(slab, at + 4, size);
    slab[at + 4] = type;
    const time = timestampMs >>> 0;
    putUint32(slab, at + 8, (time << 8) >>> 0);
    slab[at + 11] = time >>> 24;
    return slab.subarray(at, at + PIECE_BYTES);
  }

  #enqueue(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.#events.waiting(bytes.length);
  }

  #markDirty(): void {
    if (this.#dirty) return;
    this.#dirty = true;
    this.#events.dirty(this);
  }

  /** Starts one gathering write of what waits. False: there is nothing to do now. */
  flush(done: () => void): boolean {
    const descriptor = this.#descriptor;
    if (descriptor === undefined || this.#busy || this.#state === 'closed') return false;
    this.#dirty = false;
    if (this.#queue.length === 0) return this.#state === 'ending' && this.#finish(descriptor, done);
    const pieces = this.#queue;
    this.#queue = [];
    this.#busy = true;
    this.#write(descriptor, pieces, done);
    return true;
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
      if (error !== null || rest.length > 0) this.#fail(error ?? new Error('the disk took no more bytes'));
      else if (this.#queue.length > 0 || this.#state === 'ending') this.#markDirty();
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
      else if (this.#queue.length > 0 || this.#state === 'ending') this.#markDirty();
      done();
    });
  }

  /** No more packets; what waits is written, synchronised and the file closed. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    const backPointer = new Uint8Array(4);
    putUint32(backPointer, 0, this.#lastTagBytes);
    this.#enqueue(backPointer);
    this.#markDirty();
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
    this.#queue = [];
    this.#settle(this.#queuedBytes);
    this.#events.closed(this);
  }

  /** Whether the disk is so far behind that frames must be left out. */
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

/** What a short write left. */
function withoutFirst(pieces: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let rest = bytes;
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Uint8Array;
    if (rest < piece.length) return [piece.subarray(rest), ...pieces.slice(i + 1)];
    rest -= piece.length;
  }
  return [];
}
