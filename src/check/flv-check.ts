/** Judges a stream of FLV that is pushed: bytes in any pieces, or tags. Broken FLV ends it with what was judged before. */
import { SliceList } from '../bytes/slices.js';
import { WireError } from '../bytes/wire-error.js';
import type { FlvTagKind } from '../media/flv/file-reader.js';
import { FileJudge, type FileJudgeOptions } from './file-judge.js';
import type { FileResult, Finding, StreamHealth } from './file-report.js';
import { PIECE_BYTES } from './limits.js';
import { brokenFlv, endedFlv, liveReport } from './live-report.js';
import { withProfile } from './profile.js';

/** A tag of FLV (Video File Format Specification 10.1, E.4), or a message of RTMP, which has the same form. */
export interface MediaTag {
  /** `data`: metadata, cue points, texts. */
  readonly kind: FlvTagKind;
  /** Decode time in ms, 0 to 4,294,967,295. */
  readonly timestampMs: number;
  /** The body: AUDIODATA, VIDEODATA or SCRIPTDATA. Read during the call. */
  readonly payload: Uint8Array;
}

export interface FlvCheckOptions extends Omit<FileJudgeOptions, 'remuxed'> {
  /** Row of the profile table to which the stream is held. */
  readonly profile?: string | undefined;
}

export class FlvCheck {
  readonly #judge: FileJudge;
  readonly #profile: string | undefined;
  readonly #skips: boolean;
  #buffer = new Uint8Array(0);
  #used = 0;
  #hasTags = false;
  #fault: WireError | undefined;

  constructor({ profile, ...options }: FlvCheckOptions) {
    this.#judge = new FileJudge(options);
    this.#profile = profile;
    // Which bytes are skipped must not decide which pictures are decoded.
    this.#skips = options.decode === undefined;
  }

  /** The FLV is broken, and what follows is ignored. */
  get isBroken(): boolean {
    return this.#fault !== undefined;
  }

  /** Bytes so far, skipped ones included. */
  get bytes(): number {
    return this.#judge.bytes;
  }

  /** Media time of the stream. */
  get streamTimeMs(): number {
    return this.#judge.streamTimeMs;
  }

  get health(): StreamHealth {
    return this.#judge.stream;
  }

  /** The time of what comes next, in ms since the start. Live mode only. */
  at(atMs: number): void {
    this.#judge.at(atMs);
  }

  /** Advances the clock to the time of `at`. Live mode only. */
  tick(): void {
    this.#judge.tick();
  }

  /** Changes of records since the last call: the latest of each record. Empty unless they are collected. */
  takeFindings(): Finding[] {
    return this.#judge.takeFindings();
  }

  /** The next bytes, which the caller may change afterwards. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.isBroken; ) {
      const unwanted = this.#skips ? Math.min(this.#judge.unwanted, bytes.length - at) : 0;
      if (unwanted > 0) {
        this.#judge.skip(unwanted);
        at += unwanted;
        continue;
      }
      if (!this.#judge.holdsBytes) this.#used = 0;
      if (this.#used === this.#buffer.length) {
        this.#buffer = new Uint8Array(PIECE_BYTES);
        this.#used = 0;
      }
      const size = Math.min(bytes.length - at, this.#buffer.length - this.#used);
      this.#buffer.set(bytes.subarray(at, at + size), this.#used);
      this.#push(this.#buffer, this.#used, this.#used + size);
      this.#used += size;
      at += size;
    }
  }

  /** The next bytes, which must not change afterwards. */
  push(bytes: Uint8Array): void {
    this.#push(bytes, 0, bytes.length);
  }

  #push(bytes: Uint8Array, from: number, to: number): void {
    try {
      if (!this.isBroken) this.#judge.push(bytes, from, to);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#fault = error;
    }
  }

  /** Number of following bytes that may be passed over with `skip`. */
  get unwanted(): number {
    return this.isBroken ? 0 : this.#judge.unwanted;
  }

  skip(count: number): void {
    this.#judge.skip(count);
  }

  /** Whether the pushed bytes are still referenced. */
  get holdsBytes(): boolean {
    return this.#judge.holdsBytes;
  }

  get mediaMessages(): number {
    return this.#judge.mediaMessages;
  }

  /** A tag without its container. */
  tag({ kind, timestampMs, payload }: MediaTag): void {
    this.#hasTags = true;
    this.#judge.bytes += payload.length;
    this.#judge.packet(kind, timestampMs, SliceList.of(payload));
  }

  /** Ends the stream. `shown` names it in the result. */
  end(shown: string): FileResult {
    return withProfile(this.#result(shown), this.#profile);
  }

  #result(shown: string): FileResult {
    if (this.#hasTags) {
      this.#judge.close();
      return liveReport(this.#judge, shown, 'flv');
    }
    try {
      if (this.#fault === undefined) return endedFlv(this.#judge, shown);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#fault = error;
    }
    return brokenFlv(this.#judge, shown, this.#fault);
  }
}
