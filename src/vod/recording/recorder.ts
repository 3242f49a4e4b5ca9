/**
 * Records what is LIVE as it arrives: one FLV segment a connection under `<folder>/<live video id>/<start>-<n>-<part>.flv`,
 * or one after another where they are to be carried elsewhere.
 * Faults of the disk end or thin the recording, never the broadcast.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PayloadBuffers } from '../../bytes/payload-buffers.js';
import type { Clock, Log } from '../../ports.js';
import { Flusher } from './flusher.js';
import { FreeSpace } from './free-space.js';
import { RECORDER } from './limits.js';
import { RecordingTap, type TapEvents } from './recording-tap.js';
import { SegmentFile } from './segment-file.js';
import { segmentName } from './segment-name.js';

export interface RecorderOptions {
  /** Of all recordings; it exists. */
  readonly folder: string;
  /** In which recordings wait for the disk. */
  readonly buffers: PayloadBuffers;
  readonly clock: Clock;
  readonly log: Log;
  /** Recording of the broadcast ended early, or never began; `reason` is a sentence. */
  readonly onRecordingStopped?: (liveVideoId: string, reason: string) => void;
  /** Frames were left out because the disk could not follow. */
  readonly onRecordingGap?: (liveVideoId: string, reason: string) => void;
  readonly onSegmentOpened?: (liveVideoId: string, name: string) => void;
  readonly onSegmentClosed?: (liveVideoId: string, name: string) => void;
  /** Segments are ended every few seconds, for who carries them to other machines. */
  readonly inParts?: boolean;
  /** Part of the disk that is free, when not the disk itself shall say it. */
  readonly freeSpace?: FreeSpace;
}

const LOW = `less than ${RECORDER.freeLeast * 100} % of the disk is free`;

export class Recorder {
  readonly freeSpace: FreeSpace;
  readonly #options: RecorderOptions;
  readonly #flusher = new Flusher();
  readonly #taps = new Set<RecordingTap>();
  readonly #names = new Map<SegmentFile, string>();
  #number = 0;
  readonly #tapEvents: TapEvents;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.freeSpace = options.freeSpace ?? new FreeSpace(options.folder, () => this.#stopAll(LOW));
    this.#tapEvents = {
      hurry: (segment) => this.#flusher.hurry(segment),
      gap: (segment, over) => this.#onGap(segment, over),
      isBehind: (segment) => segment.isBehind || this.#flusher.waitingBytes > RECORDER.queueBytesAll,
    };
  }

  /** A tap for what is LIVE; nothing for a preview, or while the disk is nearly full. */
  open(liveVideoId: string, when: 'publish' | 'live'): RecordingTap | undefined {
    if (when !== 'live') return undefined;
    if (this.freeSpace.isLow) {
      this.#stopped(liveVideoId, LOW);
      return undefined;
    }
    this.#number++;
    const { clock, inParts } = this.#options;
    const number = this.#number;
    const startMs = clock.wallMs();
    const begin = (part: number): SegmentFile => this.#begin(liveVideoId, segmentName(startMs, number, part));
    const parts = inParts === true ? { monotonicMs: () => clock.monotonicMs(), begin } : undefined;
    const tap = new RecordingTap(begin(0), this.#tapEvents, parts);
    this.#taps.add(tap);
    return tap;
  }

  #begin(liveVideoId: string, name: string): SegmentFile {
    const path = join(this.#options.folder, liveVideoId, name);
    const segment = new SegmentFile(liveVideoId, path, this.#options.buffers, {
      dirty: (file) => this.#flusher.markDirty(file),
      waiting: (deltaBytes) => {
        this.#flusher.waitingBytes += deltaBytes;
      },
      failed: (file, error) => {
        this.#options.log.error({ liveVideoId: file.liveVideoId, error }, 'a recording could not be written');
        this.#stopped(file.liveVideoId, `the disk refused the recording: ${error.message}`);
      },
      closed: (file) => this.#onClosed(file),
    });
    this.#names.set(segment, name);
    this.#flusher.add(segment);
    this.#options.onSegmentOpened?.(liveVideoId, name);
    return segment;
  }

  /** Whether a file is being written for this live video here. */
  isRecording(liveVideoId: string): boolean {
    for (const segment of this.#names.keys()) if (segment.liveVideoId === liveVideoId) return true;
    return false;
  }

  /** Whether this very file is still being written here. */
  isWriting(liveVideoId: string, name: string): boolean {
    for (const [segment, own] of this.#names) if (own === name && segment.liveVideoId === liveVideoId) return true;
    return false;
  }

  /** Ends every recording; resolves when all is on the disk. */
  async close(): Promise<void> {
    this.freeSpace.stop();
    for (const tap of this.#taps) tap.close();
    await this.#flusher.settled();
  }

  /** Live videos that have segments on the local disk. */
  recorded(): string[] {
    return readdirSync(this.#options.folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  }

  #stopAll(reason: string): void {
    for (const tap of this.#taps) {
      tap.close();
      this.#stopped(tap.segment.liveVideoId, reason);
    }
  }

  #stopped(liveVideoId: string, reason: string): void {
    this.#options.log.warn({ liveVideoId, reason }, 'the broadcast is not recorded any more');
    this.#options.onRecordingStopped?.(liveVideoId, reason);
  }

  #onGap({ liveVideoId }: SegmentFile, over: boolean): void {
    this.#options.log.warn(
      { liveVideoId, over },
      over ? 'the recording goes on' : 'the disk cannot follow the recording',
    );
    if (!over) this.#options.onRecordingGap?.(liveVideoId, 'the disk cannot keep up');
  }

  #onClosed(segment: SegmentFile): void {
    const name = this.#names.get(segment);
    this.#names.delete(segment);
    for (const tap of this.#taps) if (tap.segment === segment) this.#taps.delete(tap);
    this.#flusher.remove(segment);
    if (name !== undefined) this.#options.onSegmentClosed?.(segment.liveVideoId, name);
  }
}
