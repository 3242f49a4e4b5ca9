/** A recording as batches of FLV tags, read on demand and repeated for loops. */
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import { isReadable } from '../../containers/source/media-file.js';
import { FlvFileReader, type FlvTagKind } from '../../media/flv/file-reader.js';
import { CliError, isCliError, messageOf } from '../console/exit.js';
import { isFlv } from '../input/files.js';
import { remuxToFlv } from '../remux/remux.js';
import { fileShape, reasonOf } from '../remux/tracks.js';

export interface TimedTag {
  readonly kind: FlvTagKind;
  readonly timeMs: number;
  readonly payload: SliceList;
}

export interface TagBatch {
  readonly tags: readonly TimedTag[];
  /** Added to the time of each tag. Grows with each loop, so that the sum may exceed 2^32. */
  readonly offsetMs: number;
}

export interface SourceTools {
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

const READ_BYTES = 256 * 1024;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** A longer step between the last two frames is a gap, not a frame duration. */
const MAX_FRAME_MS = 1000;
/** AMF0 string that encoders send before onMetaData, so that the server keeps the metadata for later viewers. */
const SET_DATA_FRAME = Buffer.from('\x02\x00\x0d@setDataFrame', 'latin1');
const ON_META_DATA = Buffer.from('\x02\x00\x0aonMetaData', 'latin1');

/**
 * One recording, shared by all connections and loops. A recording that is sent more than once and is no larger than
 * `MAX_CACHED_BYTES` is read once and cached: rereading it would take as long as sending it.
 */
export class Recording {
  readonly #path: string;
  readonly #shown: string;
  readonly #tools: SourceTools;
  readonly #isCached: boolean;
  #cached: Promise<readonly TimedTag[]> | undefined;

  constructor(path: string, shown: string, tools: SourceTools, timesSent: number) {
    this.#path = path;
    this.#shown = shown;
    this.#tools = tools;
    this.#isCached = timesSent > 1 && statSync(path).size <= MAX_CACHED_BYTES;
  }

  /** The fault of the file's beginning; undefined when it can be sent. Opens no connection. */
  async problem(): Promise<string | undefined> {
    try {
      for await (const _tags of this.#read()) return undefined;
      return 'no video or audio';
    } catch (error) {
      if (!isCliError(error)) throw error;
      return error.message.replace(`${this.#shown}: `, '');
    }
  }

  /** Batches, read one at a time. @throws CliError for a file that cannot be sent as FLV */
  async *tags(loops: number): AsyncGenerator<TagBatch> {
    let offsetMs = 0;
    for (let loop = 0; loop < loops; loop++) {
      const span = new Span();
      for await (const tags of this.#pass()) {
        for (const tag of tags) span.add(tag);
        yield { tags, offsetMs };
      }
      if (!span.hasMedia) throw new CliError(`${this.#shown}: no video or audio`);
      offsetMs += span.lengthMs;
    }
  }

  async *#pass(): AsyncGenerator<readonly TimedTag[]> {
    if (this.#isCached) {
      this.#cached ??= this.#readAll();
      yield await this.#cached;
    } else {
      yield* this.#read();
    }
  }

  async #readAll(): Promise<readonly TimedTag[]> {
    const batches: (readonly TimedTag[])[] = [];
    for await (const batch of this.#read()) batches.push(batch);
    return batches.flat();
  }

  async *#read(): AsyncGenerator<readonly TimedTag[]> {
    const input = await openFlv(this.#path, this.#shown, this.#tools);
    yield* onePass(input, this.#shown);
  }
}

/** Duration from the first timestamp to one frame after the last. */
class Span {
  #firstMs = Number.POSITIVE_INFINITY;
  readonly #last = { video: Number.NaN, audio: Number.NaN };
  readonly #step = { video: Number.NaN, audio: Number.NaN };

  get hasMedia(): boolean {
    return this.#firstMs !== Number.POSITIVE_INFINITY;
  }

  add(tag: TimedTag): void {
    if (tag.kind === 'data') return;
    const step = tag.timeMs - this.#last[tag.kind];
    if (step > 0) this.#step[tag.kind] = Math.min(MAX_FRAME_MS, step);
    this.#last[tag.kind] = tag.timeMs;
    this.#firstMs = Math.min(this.#firstMs, tag.timeMs);
  }

  get lengthMs(): number {
    const ends = (['video', 'audio'] as const)
      .filter((kind) => !Number.isNaN(this.#last[kind]))
      .map((kind) => this.#last[kind] + (Number.isNaN(this.#step[kind]) ? 1 : this.#step[kind]));
    return Math.max(...ends) - this.#firstMs;
  }
}

async function* onePass(input: Readable, shown: string): AsyncGenerator<TimedTag[]> {
  let tags: TimedTag[] = [];
  const reader = new FlvFileReader({
    // The views outlive the call: each read uses a new buffer.
    tag: (kind, timeMs, payload) => {
      tags.push({ kind, timeMs, payload: SliceList.of(...asSent(kind, payload.views())) });
    },
  });
  try {
    for await (const bytes of input as AsyncIterable<Buffer>) {
      reader.push(bytes);
      if (tags.length === 0) continue;
      yield tags;
      tags = [];
    }
    reader.end();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new CliError(`${shown}: invalid FLV: ${error.message}`, undefined, { cause: error });
  }
}

function asSent(kind: FlvTagKind, views: Uint8Array[]): readonly Uint8Array[] {
  if (kind !== 'data') return views;
  const head = Buffer.concat(views.slice(0, 2)).subarray(0, ON_META_DATA.length);
  return head.equals(ON_META_DATA) ? [SET_DATA_FRAME, ...views] : views;
}

async function openFlv(path: string, shown: string, tools: SourceTools): Promise<Readable> {
  if (isFlv(path)) return createReadStream(path, { highWaterMark: READ_BYTES });
  const shape = await fileShape(tools.ffprobe, path).catch((error: unknown) => {
    throw new CliError(`${shown}: ${messageOf(error)}`, undefined, { cause: error });
  });
  const unsupported = shape.tracks.find((track) => !isReadable(track));
  if (unsupported !== undefined) {
    const { kind, codec } = unsupported;
    throw new CliError(`${shown}: unsupported ${kind} codec ${codec}: it cannot be sent without transcoding`);
  }
  const remux = remuxToFlv(tools.ffmpeg, path, shape.tracks, { isEdited: shape.isEdited });
  remux.ended.then(
    (fault) => fault !== undefined && remux.output.destroy(new CliError(`${shown}: ${reasonOf(fault)}`)),
    (error: Error) => remux.output.destroy(error),
  );
  return remux.output;
}
