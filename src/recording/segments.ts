/**
 * Locates the segments of a recording: on this machine's disk or, with object storage, uploaded once they are closed.
 * The store lists every segment that was started, so that a job knows which ones to wait for.
 */
import { readdirSync } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../lib/errors.js';
import { defined } from '../lib/objects.js';
import { BACK_POINTER_BYTES, FILE_START_BYTES, TAG_HEADER_BYTES } from '../media/flv/sizes.js';
import type { Blobs, Clock, ListName, Log, Store } from '../ports/index.js';
import { segmentsPrefix } from '../store/blobs/blob-key.js';
import type { Segment } from './joined-stream.js';
import { isSegmentName } from './joined-stream.js';
import { RECORDER } from './limits.js';
import { openSegment } from './segment-reader.js';

/** Segments of a live video; score: their start time. */
const EDGE: ListName = 'segments';
const LISTED_MAX = 1_000;
/** A running recorder writes several times in this period. */
const GROWING_MS = 3_000;

export interface FoundSegments {
  /** In order of recording. */
  readonly segments: Segment[];
  /** Total size. */
  readonly bytes: number;
  readonly missing: string[];
}

export class Segments {
  readonly #folder: string;
  readonly #blobs: Blobs;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(options: { folder: string; blobs: Blobs; store: Store; clock: Clock; log: Log }) {
    this.#folder = options.folder;
    this.#blobs = options.blobs;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Live videos with segments on this disk. */
  recorded(): string[] {
    return readdirSync(this.#folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  }

  /** Lists a new segment in the store. If that fails, the file itself is still found on its own machine. */
  begun(liveVideoId: string, name: string): void {
    this.#store.objects
      .commit([{ op: 'edgeAdd', owner: liveVideoId, edge: EDGE, member: name, score: this.#clock.wallMs() }])
      .catch((error: unknown) => this.#log.warn({ liveVideoId, name, error }, 'cannot list a segment in the store'));
  }

  /** Moves a closed segment to object storage, if there is one. */
  async upload(liveVideoId: string, name: string): Promise<void> {
    if (this.#blobs.kind === 'folder') return;
    try {
      await this.#blobs.adopt(segmentsPrefix(liveVideoId) + name, join(this.#folder, liveVideoId, name));
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error;
    }
  }

  /** Segments on this disk that have not grown for so long that no process can be writing them. */
  async quiet(liveVideoId: string): Promise<string[]> {
    const quiet: string[] = [];
    for (const name of await this.#localNames(liveVideoId)) {
      const found = await unlessGone(stat(join(this.#folder, liveVideoId, name)));
      if (found !== undefined && this.#clock.wallMs() - found.mtimeMs > RECORDER.quietMs) quiet.push(name);
    }
    return quiet;
  }

  /** Whether a segment on this disk may still be growing: it is not closed and was written to recently. */
  async areGrowing(liveVideoId: string): Promise<boolean> {
    for (const name of await this.#localNames(liveVideoId)) {
      const path = join(this.#folder, liveVideoId, name);
      const found = await unlessGone(stat(path));
      if (found === undefined || this.#clock.wallMs() - found.mtimeMs >= GROWING_MS) continue;
      if ((await unlessGone(endsWhole(path))) === false) return true;
    }
    return false;
  }

  /** All segments that are readable from here, and the names of those that are not. */
  async find(liveVideoId: string): Promise<FoundSegments> {
    const found = new Map<string, Segment & { readonly size: number }>();
    const prefix = segmentsPrefix(liveVideoId);
    // The disk first: a segment that is uploaded between the two is found in one of them.
    for (const name of await this.#localNames(liveVideoId)) {
      const path = join(this.#folder, liveVideoId, name);
      const size = await sizeOf(path);
      found.set(name, { name, size, open: () => this.#openHere(path, prefix + name) });
    }
    for await (const { key, size } of this.#blobs.list(prefix)) {
      const name = key.slice(prefix.length);
      const local = found.get(name);
      found.set(name, local === undefined ? { name, size, open: () => this.#blobs.read(key) } : { ...local, size });
    }
    const missing = (await this.#listed(liveVideoId)).filter((name) => !found.has(name));
    const segments = [...found.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
    const bytes = segments.reduce((sum, { size }) => sum + size, 0);
    return { segments, bytes, missing };
  }

  /** Total size of the segments on this disk. */
  async localBytes(): Promise<number> {
    let bytes = 0;
    for (const entry of await readdir(this.#folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      for (const name of await this.#localNames(entry.name)) {
        bytes += await sizeOf(join(this.#folder, entry.name, name));
      }
    }
    return bytes;
  }

  /** The segment may have been uploaded since it was listed. */
  async #openHere(path: string, key: string): Promise<AsyncIterable<Uint8Array>> {
    try {
      return await openSegment(path);
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error;
      return this.#blobs.read(key);
    }
  }

  async #listed(liveVideoId: string): Promise<string[]> {
    const names: string[] = [];
    let after: string | undefined;
    do {
      const page = await this.#store.objects.page(
        { owner: liveVideoId, edge: EDGE },
        { limit: LISTED_MAX, ascending: true, ...defined({ after }) },
      );
      names.push(...page.entries.map(({ member }) => member));
      after = page.hasNext ? page.entries.at(-1)?.cursor : undefined;
    } while (after !== undefined);
    return names;
  }

  async #localNames(liveVideoId: string): Promise<string[]> {
    try {
      return (await readdir(join(this.#folder, liveVideoId))).filter(isSegmentName);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return [];
      throw error;
    }
  }

  /** Removes the recording: files, blobs and list entries. */
  async remove(liveVideoId: string): Promise<void> {
    await rm(join(this.#folder, liveVideoId), { recursive: true, force: true });
    const keys: string[] = [];
    for await (const { key } of this.#blobs.list(segmentsPrefix(liveVideoId))) keys.push(key);
    for (const key of keys) await this.#blobs.delete(key);
    const names = await this.#listed(liveVideoId);
    for (let at = 0; at < names.length; at += LISTED_MAX) {
      await this.#store.objects.commit(
        names
          .slice(at, at + LISTED_MAX)
          .map((member) => ({ op: 'edgeRemove', owner: liveVideoId, edge: EDGE, member })),
      );
    }
  }
}

/** 0 for a file that was removed meanwhile. */
async function sizeOf(path: string): Promise<number> {
  return (await unlessGone(stat(path)))?.size ?? 0;
}

/** `undefined` for a file that was uploaded or removed since its folder was read. */
async function unlessGone<Found>(reading: Promise<Found>): Promise<Found | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A closed segment ends with the back pointer of its last tag (FLV E.3). */
async function endsWhole(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(BACK_POINTER_BYTES);
    await file.read(tail, 0, tail.length, size - tail.length);
    const tagBytes = tail.readUInt32BE(0);
    if (tagBytes === 0) return size <= FILE_START_BYTES;
    const start = size - BACK_POINTER_BYTES - tagBytes;
    if (start < FILE_START_BYTES) return false;
    const header = Buffer.alloc(4);
    await file.read(header, 0, 4, start);
    return [8, 9, 18].includes(header[0] ?? 0) && header.readUIntBE(1, 3) + TAG_HEADER_BYTES === tagBytes;
  } finally {
    await file.close();
  }
}
