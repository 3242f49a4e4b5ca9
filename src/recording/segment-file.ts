/**
 * One segment of a recording: the FLV file (FLV E.2, E.3) of one connection. Packets are copied into reusable buffers:
 * a gathering write of network buffers costs five times as much as the copy and keeps those buffers from being reused.
 * Nothing here creates a promise or a timer. An FLV file truncated anywhere plays to its last whole tag. The back pointer
 * of a tag is written with the next tag's header.
 */
import { dirname } from 'node:path';
import type { SliceList } from '../bytes/slices.js';
import { isCode } from '../lib/errors.js';
import type { FlvTagKind } from '../media/flv/file-reader.js';
import {
  backPointer,
  flvFileHeader,
  MAX_FLV_TAG_BODY_BYTES,
  putTagStart,
  TAG_START_BYTES,
} from '../media/flv/file-writer.js';
import { FILE_HEADER_BYTES, TAG_HEADER_BYTES } from '../media/flv/sizes.js';
import { RECORDER } from './limits.js';
import type { RecordingDisk, RecordingFile } from './segment-disk.js';
import { SegmentQueue } from './segment-queue.js';

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
  /** Rounds of the flusher that have passed since the last write, while something waits. */
  roundsWaited = 0;
  readonly #queue: SegmentQueue;
  readonly #disk: RecordingDisk;
  readonly #file: RecordingFile;
  #isCreated = false;
  #writtenBytes = 0;
  /** Bytes beyond the written ones that are in the file too: the rest of a block, which is written again with it. */
  #shownBytes = 0;
  #lastTagBytes = 0;
  #busy = false;
  #dirty = false;
  #state: 'open' | 'ending' | 'closed' = 'open';
  readonly #tagStart = new Uint8Array(TAG_START_BYTES);
  readonly #events: SegmentEvents;

  /** `disk` is shared by the segments of a process. */
  constructor(liveVideoId: string, path: string, disk: RecordingDisk, events: SegmentEvents) {
    this.liveVideoId = liveVideoId;
    this.path = path;
    this.#queue = new SegmentQueue(disk.buffers);
    this.#file = disk.file(path);
    this.#disk = disk;
    this.#events = events;
    // The first back pointer, 0, is written with the first tag.
    this.#put(flvFileHeader(true, true), 0, FILE_HEADER_BYTES);
    this.#create();
  }

  get waitingBytes(): number {
    return this.#queue.bytes;
  }

  /** Waiting bytes that a write of whole buffers takes. */
  get wholeBytes(): number {
    return this.#queue.wholeBytes;
  }

  get isIdle(): boolean {
    return !this.#busy;
  }

  /** Accepts packets. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Appends a tag with `payload`, without its first `skip` bytes. */
  append(kind: FlvTagKind, timestampMs: number, payload: SliceList, skip: number): void {
    const size = payload.length - skip;
    if (this.#state !== 'open' || size < 0 || size > MAX_FLV_TAG_BODY_BYTES) return;
    putTagStart(this.#tagStart, this.#lastTagBytes, kind, size, timestampMs);
    this.#queue.put(this.#tagStart, 0, TAG_START_BYTES);
    let rest = skip;
    for (let i = 0; i < payload.count; i++) {
      const start = payload.startAt(i) + rest;
      const end = payload.endAt(i);
      rest = Math.max(0, start - end);
      if (start < end) this.#queue.put(payload.bufferAt(i), start, end);
    }
    this.#lastTagBytes = TAG_HEADER_BYTES + size;
    this.#events.waiting(TAG_START_BYTES + size);
    this.#markDirty();
  }

  #put(bytes: Uint8Array, from: number, to: number): void {
    this.#queue.put(bytes, from, to);
    this.#events.waiting(to - from);
  }

  #markDirty(): void {
    if (this.#dirty) return;
    this.#dirty = true;
    this.#events.dirty(this);
  }

  /**
   * Starts one gathering write, of whole buffers while there are many. `throughCache`: the disk is behind, and the page cache
   * takes the bytes at once. False: there is nothing to do now.
   */
  flush(throughCache: boolean, done: () => void): boolean {
    if (!this.#isCreated || this.#busy || this.#state === 'closed') return false;
    this.#dirty = false;
    this.roundsWaited = 0;
    const waiting = this.#queue.bytes;
    if (waiting === 0) return this.#state === 'ending' && this.#finish(done);
    const bytes = this.#bytesToWrite();
    if (bytes > 0) this.#write(bytes, throughCache, done);
    else if (this.#state === 'ending') this.#write(waiting, true, done);
    else if (waiting > this.#shownBytes) this.#show(waiting, done);
    else return false;
    return true;
  }

  /** Whole blocks, 0 if there is none yet. */
  #bytesToWrite(): number {
    const { bytes, wholeBytes } = this.#queue;
    const offered = Math.min(wholeBytes >= RECORDER.writeBytes ? wholeBytes : bytes, RECORDER.writeBytesMax);
    return offered - (offered % this.#file.blockBytes);
  }

  #write(bytes: number, throughCache: boolean, done: () => void): void {
    this.#busy = true;
    const isDirect = this.#disk.buffers.isAligned && !throughCache;
    this.#file.write(this.#queue.first(bytes), this.#writtenBytes, !isDirect, (error, written) => {
      this.#busy = false;
      this.needsSync = true;
      this.#writtenBytes += written;
      this.#shownBytes = 0;
      this.#queue.drop(written);
      this.#events.waiting(-written);
      if (error !== null || written === 0)
        this.#fail(error ?? new Error('short write: the disk accepted no more bytes'));
      else if (this.#queue.bytes > 0 || this.#state === 'ending') this.#markDirty();
      done();
    });
  }

  /**
   * Less than a block has waited for a while, in a stream of very low bitrate: it goes to the file through the cache, and
   * stays in the queue, since the next direct write begins with it.
   */
  #show(bytes: number, done: () => void): void {
    this.#busy = true;
    this.#file.write(this.#queue.first(bytes), this.#writtenBytes, true, (error, written) => {
      this.#busy = false;
      this.needsSync = true;
      this.#shownBytes = written;
      if (error !== null) this.#fail(error);
      else if (this.#queue.bytes > bytes || this.#state === 'ending') this.#markDirty();
      done();
    });
  }

  /** False: it cannot be synced now. */
  sync(done: () => void): boolean {
    if (!this.#isCreated || this.#busy || this.#state === 'closed') return false;
    this.#busy = true;
    this.needsSync = false;
    this.#file.sync((error) => {
      this.#busy = false;
      if (error !== null) this.#fail(error);
      else if (this.#queue.bytes > this.#shownBytes || this.#state === 'ending') this.#markDirty();
      done();
    });
    return true;
  }

  /** Accepts no more packets; the queue is written and synced, and the file closed. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    const last = backPointer(this.#lastTagBytes);
    this.#put(last, 0, last.length);
    this.#dirty = true;
    this.#events.dirty(this);
  }

  #finish(done: () => void): boolean {
    this.#busy = true;
    this.#file.sync((error) => {
      if (error !== null) {
        this.#fail(error);
        done();
        return;
      }
      this.#file.close(() => {
        this.#close();
        done();
      });
    });
    return true;
  }

  #create(): void {
    this.#disk.createFolder(dirname(this.path), (folderError) => {
      if (folderError !== null) {
        this.#fail(folderError);
        return;
      }
      this.#file.create((error) => {
        if (error !== null) {
          this.#fail(error);
          return;
        }
        this.#isCreated = true;
        this.#dirty = false;
        this.#markDirty();
      });
    });
  }

  /** No write is under way here. */
  #fail(error: Error): void {
    if (this.#state === 'closed') return;
    this.#file.closeNow();
    // A broadcast that is deleted while it runs loses the file before the rest of it is written: no fault of the disk.
    const isDeleted = this.#state === 'ending' && isCode(error, 'ENOENT');
    if (!isDeleted) this.#events.failed(this, error);
    this.#close();
  }

  #close(): void {
    this.#state = 'closed';
    this.#busy = false;
    this.needsSync = false;
    const bytes = this.#queue.bytes;
    this.#queue.clear();
    this.#events.waiting(-bytes);
    this.#events.closed(this);
  }

  /** Whether the disk is so far behind that frames must be dropped. */
  get isBehind(): boolean {
    return this.#queue.bytes > RECORDER.queueBytes;
  }
}
