/**
 * Records LIVE broadcasts as they arrive: one FLV segment per connection in `<folder>/<live video id>/<start>-<n>-<part>.flv`,
 * or a sequence of parts if they are uploaded to object storage.
 * Disk errors end or thin the recording, never the broadcast.
 */
import { join } from 'node:path';
import type { Clock, DiskReserve, Log } from '../ports/index.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import { FreeSpace } from '../store/disk/free-space.js';
import { Flusher } from './flusher.js';
import { segmentName } from './joined-stream.js';
import { RECORDER } from './limits.js';
import { type RecordedStream, RecordingTap, type SegmentSource, type TapEvents } from './recording-tap.js';
import { DirectWrites, ownDisk, type RecordingDisk } from './segment-disk.js';
import { SegmentFile } from './segment-file.js';
import type { SegmentUploader } from './segment-uploader.js';
import type { Segments } from './segments.js';

const QUOTA_FULL = 'the owner has reached the storage limit for videos';

export interface RecorderOptions {
  /** Folder of all recordings; it exists. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Lists each segment once it is begun. */
  readonly segments?: Pick<Segments, 'begun'>;
  /** Takes each segment once it is closed. */
  readonly uploader?: Pick<SegmentUploader, 'upload'>;
  /** Cuts segments every few seconds, so that each part can be uploaded. */
  readonly inParts?: boolean;
  /** Absent: that of this machine. */
  readonly disk?: RecordingDisk;
  /** Part of the disk to keep free; recordings pause below it. */
  readonly reserve?: DiskReserve;
}

export interface RecorderCounts {
  /** Broadcasts that are live but not recorded, because the disk is nearly full or a write failed. */
  readonly paused: number;
  /** How often a recording stopped or failed to start for one of these reasons. */
  readonly stops: number;
}

export class Recorder {
  readonly freeSpace: FreeSpace;
  readonly #options: RecorderOptions;
  readonly #flusher = new Flusher();
  readonly #taps = new Set<RecordingTap>();
  readonly #names = new Map<SegmentFile, string>();
  readonly #disk: RecordingDisk;
  #number = 0;
  #stops = 0;
  readonly #tapEvents: TapEvents;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#disk = options.disk ?? ownDisk(new DirectWrites(options.log));
    this.freeSpace = new FreeSpace({
      folder: options.folder,
      reserve: options.reserve,
      tell: (isLow) => (isLow ? this.#pauseAll() : this.#resumeAll()),
    });
    this.#tapEvents = {
      hurry: (segment) => this.#flusher.hurry(segment),
      gap: ({ stream }, over) => this.#gap(stream, over),
      isBehind: (segment) => segment.isBehind || this.#flusher.waitingBytes > RECORDER.queueBytesAll,
      closed: (tap) => this.#taps.delete(tap),
    };
  }

  get counts(): RecorderCounts {
    let paused = 0;
    for (const tap of this.#taps) if (tap.isPaused) paused++;
    return { paused, stops: this.#stops };
  }

  /** A tap for a LIVE broadcast; none for a preview. While the disk is nearly full the tap stays paused. */
  open(stream: RecordedStream, when: 'publish' | 'live'): RecordingTap | undefined {
    if (when !== 'live') return undefined;
    if (!stream.hasStorage) {
      stream.note(SERVICE_CODES.recordingStopped, QUOTA_FULL);
      return undefined;
    }
    const tap = new RecordingTap(stream, this.#sourceOf(stream), this.#tapEvents);
    this.#taps.add(tap);
    if (this.freeSpace.isLow) this.#stopped(stream, this.#low);
    else tap.start();
    return tap;
  }

  #sourceOf(stream: RecordedStream): SegmentSource {
    const { clock, inParts } = this.#options;
    let [startMs, number, part] = [0, 0, 0];
    const begin: SegmentSource['begin'] = (how) => {
      if (how === 'next-part') part++;
      else [startMs, number, part] = [clock.wallMs(), ++this.#number, 0];
      return this.#begin(stream, segmentName(startMs, number, part));
    };
    return inParts === true ? { begin, monotonicMs: () => clock.monotonicMs() } : { begin };
  }

  #begin(stream: RecordedStream, name: string): SegmentFile {
    const { liveVideoId } = stream;
    const path = join(this.#options.folder, liveVideoId, name);
    const segment = new SegmentFile(liveVideoId, path, this.#disk, {
      dirty: (file) => this.#flusher.markDirty(file),
      waiting: (deltaBytes) => {
        this.#flusher.waitingBytes += deltaBytes;
      },
      failed: (file, error) => {
        this.#options.log.error({ liveVideoId, error }, 'cannot write a recording');
        for (const tap of this.#taps) if (tap.segment === file) tap.pause();
        this.#stopped(stream, `the disk refused the recording: ${error.message}`);
      },
      closed: (file) => this.#forget(file),
    });
    this.#names.set(segment, name);
    this.#flusher.add(segment);
    this.#options.segments?.begun(liveVideoId, name);
    return segment;
  }

  /** Whether this process is writing a file of this live video. */
  isRecording(liveVideoId: string): boolean {
    for (const segment of this.#names.keys()) if (segment.liveVideoId === liveVideoId) return true;
    return false;
  }

  /** Whether this process is writing this file. */
  isWriting(liveVideoId: string, name: string): boolean {
    for (const [segment, own] of this.#names) if (own === name && segment.liveVideoId === liveVideoId) return true;
    return false;
  }

  /** Ends every recording; resolves when everything is on disk. */
  async close(): Promise<void> {
    this.freeSpace.stop();
    for (const tap of this.#taps) tap.close();
    await this.#flusher.settled();
  }

  get #low(): string {
    return `less than the reserve of ${this.freeSpace.reserveText} of the disk is free`;
  }

  #pauseAll(): void {
    for (const tap of this.#taps) {
      if (tap.isPaused) continue;
      tap.pause();
      this.#stopped(tap.stream, this.#low);
    }
  }

  #resumeAll(): void {
    for (const tap of this.#taps) {
      if (!tap.isPaused) continue;
      this.#options.log.info({ liveVideoId: tap.stream.liveVideoId }, 'disk space available again; recording resumes');
      tap.resume();
    }
  }

  /** A recording ended early or never started; `reason` is a sentence. */
  #stopped(stream: RecordedStream, reason: string): void {
    this.#stops++;
    this.#options.log.warn({ liveVideoId: stream.liveVideoId, reason }, 'recording stopped');
    stream.note(SERVICE_CODES.recordingStopped, reason);
  }

  #gap(stream: RecordedStream, over: boolean): void {
    const { liveVideoId } = stream;
    this.#options.log.warn(
      { liveVideoId, over },
      over ? 'the disk has caught up; recording continues' : 'the disk cannot keep up; dropping frames',
    );
    if (!over) stream.note(SERVICE_CODES.recordingGap, 'the disk cannot keep up');
  }

  #forget(segment: SegmentFile): void {
    const name = this.#names.get(segment);
    this.#names.delete(segment);
    this.#flusher.remove(segment);
    if (name !== undefined) this.#options.uploader?.upload(segment.liveVideoId, name);
  }
}
