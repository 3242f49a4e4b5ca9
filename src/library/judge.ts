/** A judge of one stream that is pushed to it. */
import type { FileResult, Finding, StreamHealth } from '../check/file-report.js';
import type { FlvCheck, MediaTag } from '../check/flv-check.js';
import { type Bounds, coreFor } from './cores.js';
import { AirlockError } from './error.js';
import type { Core } from './instantiate.js';

/** How a stream is judged. All parts are optional. */
export interface JudgingOptions {
  /** Bounds over the published ones. Each judge has its own. */
  readonly spec?: Bounds | undefined;
  /** Short name of a row of the profile table (`1080p60`, `720p30`, `360p`), to which the stream is held: `profile` of the result. */
  readonly profile?: string | undefined;
  /** Rules beyond the published document (6218 to 6229, 6307 and others: `analysis` in `CATALOGUE`). Default: true. */
  readonly analysis?: boolean | undefined;
  /**
   * Decodes a key frame: an FLV file with one frame in, its picture as 160x90 gray pixels out, or undefined if it cannot be
   * decoded. Without it black pictures (6812), and still ones where only pixels tell (6811), are not judged, and `notes` says so.
   */
  readonly decode?: ((flv: Uint8Array) => Uint8Array | undefined) | undefined;
  /** `file` of the result. Default: the path, the name of the file, or `-`. */
  readonly name?: string | undefined;
}

/** How a stream is judged that is pushed. All parts are optional. */
export interface JudgeOptions extends JudgingOptions {
  /**
   * `file`: a recording, judged by its decode times alone, as `airlock validate` does. `live`: the bytes arrive while they are
   * made, so that rules judged by arrival (6406, 6407, 6901 to 6908: `judgedBy` in `CATALOGUE`) are judged too. Default: `file`.
   */
  readonly mode?: 'file' | 'live' | undefined;
}

/**
 * Judges one stream: FLV bytes in any pieces, or tags, not both. It holds at most one unfinished tag of it (16 MiB) and 10,000
 * records, whatever is written. Iterated over, it gives the findings from the first one on, until the end; a reader that falls
 * behind gets the latest state of each record.
 */
export interface Judge extends AsyncIterable<Finding> {
  /**
   * The next bytes of the FLV file, in pieces of any size; the buffer may be used again afterwards. Broken FLV is no error: the
   * result says at which byte it broke, and what follows is ignored. `atMs`: when they arrived, in ms since the judge was
   * created, in `live` mode; default: now.
   * @returns the findings of these bytes
   * @throws AirlockError BAD_INPUT, ENDED
   */
  write(bytes: Uint8Array, atMs?: number): readonly Finding[];
  /**
   * The next tag of FLV, or message of RTMP. Otherwise like `write`; evidence then has no byte offsets.
   * @throws AirlockError BAD_INPUT, ENDED
   */
  tag(tag: MediaTag, atMs?: number): readonly Finding[];
  /**
   * `live` mode: time has passed, whether or not anything came. Called each second or so, it finds a stream that stands still.
   * @throws AirlockError BAD_INPUT in `file` mode, ENDED
   */
  tick(atMs?: number): readonly Finding[];
  /** Measured of the stream so far: settings, rates, loudness. */
  readonly health: StreamHealth;
  /** Ends the stream: closes what is open, judges a short file by its whole. Again: the same result. */
  end(): FileResult;
}

/** A judge of one stream. @throws AirlockError BAD_SPEC, UNKNOWN_PROFILE */
export function createJudge(options: JudgeOptions = {}): Judge {
  const core = coreFor(options.spec);
  return new StreamedJudge(core, checkedProfile(core, options));
}

/** @throws AirlockError UNKNOWN_PROFILE */
export function checkedProfile<T extends JudgingOptions>(core: Core, options: T): T {
  const { profile } = options;
  if (profile === undefined || core.PROFILE_NAMES.includes(profile)) return options;
  throw new AirlockError('UNKNOWN_PROFILE', `${profile} is none of the profiles ${core.PROFILE_NAMES.join(', ')}`);
}

class StreamedJudge implements Judge {
  readonly #check: FlvCheck;
  readonly #name: string;
  readonly #isLive: boolean;
  readonly #createdMs = performance.now();
  #input: 'bytes' | 'tags' | undefined;
  #result: FileResult | undefined;
  /** The latest finding of each record. */
  readonly #latest = new Map<string, Finding>();
  /** Findings that each reader has not had yet. */
  readonly #readers = new Set<Map<string, Finding>>();
  #wakes: (() => void)[] = [];

  constructor(core: Core, { mode, profile, analysis, decode, name }: JudgeOptions) {
    this.#check = new core.FlvCheck({ mode, profile, analysis, decode, collects: true });
    this.#name = name ?? '-';
    this.#isLive = mode === 'live';
  }

  write(bytes: Uint8Array, atMs?: number): readonly Finding[] {
    if (!isBytes(bytes)) throw badInput('write takes a Uint8Array');
    this.#begin('bytes', atMs);
    this.#check.write(bytes);
    return this.#findings();
  }

  tag(tag: MediaTag, atMs?: number): readonly Finding[] {
    const { kind, timestampMs, payload } = tag;
    if (kind !== 'audio' && kind !== 'video' && kind !== 'data') throw badInput('kind must be audio, video or data');
    if (!Number.isInteger(timestampMs) || timestampMs !== timestampMs >>> 0)
      throw badInput('timestampMs must be an integer from 0 to 4,294,967,295');
    if (!isBytes(payload)) throw badInput('payload must be a Uint8Array');
    this.#begin('tags', atMs);
    this.#check.tag(tag);
    return this.#findings();
  }

  tick(atMs?: number): readonly Finding[] {
    if (!this.#isLive) throw badInput('a file has no clock: tick needs the mode "live"');
    this.#setTime(atMs);
    this.#check.tick();
    return this.#findings();
  }

  get health(): StreamHealth {
    return this.#check.health;
  }

  end(): FileResult {
    if (this.#result === undefined) {
      this.#result = this.#check.end(this.#name);
      this.#findings();
      this.#wake();
    }
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Finding, void, undefined> {
    const reader = new Map<string, Finding>();
    for (const [id, finding] of this.#latest) reader.set(id, { ...finding, change: 'raised' });
    this.#readers.add(reader);
    try {
      for (;;) {
        for (const [id, finding] of reader) {
          reader.delete(id);
          yield finding;
        }
        if (this.#result !== undefined) return;
        await new Promise<void>((wake) => this.#wakes.push(wake));
      }
    } finally {
      this.#readers.delete(reader);
    }
  }

  #begin(input: 'bytes' | 'tags', atMs: number | undefined): void {
    this.#setTime(atMs);
    this.#input ??= input;
    if (this.#input !== input) throw badInput('a judge takes bytes or tags, not both');
  }

  #setTime(atMs: number | undefined): void {
    if (this.#result !== undefined) throw new AirlockError('ENDED', 'the judge was ended');
    if (!this.#isLive) {
      if (atMs !== undefined) throw badInput('a file has no clock: atMs needs the mode "live"');
      return;
    }
    if (atMs !== undefined && !(Number.isFinite(atMs) && atMs >= 0)) throw badInput('atMs must be 0 or more');
    this.#check.at(atMs ?? performance.now() - this.#createdMs);
  }

  #findings(): readonly Finding[] {
    const findings = this.#check.takeFindings();
    if (findings.length === 0) return findings;
    for (const finding of findings) {
      this.#latest.set(finding.id, finding);
      for (const reader of this.#readers) reader.set(finding.id, coalesced(reader.get(finding.id), finding));
    }
    this.#wake();
    return findings;
  }

  #wake(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }
}

/** A record that its reader does not know yet stays new. */
function coalesced(before: Finding | undefined, finding: Finding): Finding {
  return before?.change === 'raised' ? { ...finding, change: 'raised' } : finding;
}

/** `instanceof` fails for an array of another realm, such as a frame. */
function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && 'BYTES_PER_ELEMENT' in value && value.BYTES_PER_ELEMENT === 1;
}

function badInput(message: string): AirlockError {
  return new AirlockError('BAD_INPUT', message);
}
