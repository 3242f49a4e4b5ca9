/** Movie fragments (ISO/IEC 14496-12, 8.8): runs of samples behind the index, as recorders write them that may be stopped at any time. */
import { ByteReader } from '../../bytes/byte-reader.js';
import { WireError } from '../../bytes/wire-error.js';
import { PARTS_MAX, RUNS_MAX } from '../source/limits.js';
import { cut } from '../source/media-file.js';
import type { SourceReader } from '../source/source-reader.js';
import { type Box, boxAt, boxesIn } from './boxes.js';
import type { Sample, Samples } from './sample.js';
import { Table } from './table.js';

const CLAUSE = 'ISO/IEC 14496-12, 8.8';

/** Values of `trex`, which hold where a fragment has none of its own. */
export interface FragmentDefaults {
  readonly description: number;
  readonly duration: number;
  readonly size: number;
  readonly flags: number;
}

interface Run {
  readonly table: Table;
  readonly count: number;
  readonly flags: number;
  readonly defaults: FragmentDefaults;
  readonly firstFlags: number | undefined;
  /** Undefined: it continues the run before it. */
  readonly decodeTime: number | undefined;
  readonly at: number;
}

/** Flags of `tfhd` (8.8.7.1). */
const BASE_OFFSET = 1;
const DESCRIPTION = 2;
const DURATION = 8;
const SIZE = 0x10;
const FLAGS = 0x20;
const BASE_IS_MOOF = 0x2_0000;
/** Flags of `trun` (8.8.8.1). */
const RUN_OFFSET = 1;
const RUN_FIRST_FLAGS = 4;
const RUN_DURATION = 0x100;
const RUN_SIZE = 0x200;
const RUN_FLAGS = 0x400;
const RUN_COMPOSITION = 0x800;
/** Flags of a sample (8.8.3.1) that no key frame has: it depends on others; it is no sync sample. */
const NOT_KEY = 0x0101_0000;

/** Reads the fragments of a file once for all of its tracks. */
export class Fragments {
  problem: string | undefined;
  readonly #file: SourceReader;
  readonly #tracks: ReadonlyMap<number, FragmentSamples>;
  #at: number;
  #boxes = 0;
  #waiting = 0;

  /** Fragments from `at` on of tracks by their ID. */
  constructor(file: SourceReader, at: number, tracks: ReadonlyMap<number, FragmentSamples>) {
    this.#file = file;
    this.#at = at;
    this.#tracks = tracks;
    for (const track of tracks.values()) track.fragments = this;
  }

  /** Reads up to the next fragment. False: there is none. @throws WireError if too much waits for other tracks */
  async readMore(): Promise<boolean> {
    while (this.#at < this.#file.size) {
      if (this.#boxes++ > PARTS_MAX || this.#waiting > RUNS_MAX) {
        throw new WireError('CONTAINER_FRAGMENTS', 'more fragments than any recording has', CLAUSE, this.#at);
      }
      const box = await boxAt(this.#file, this.#at, this.#file.size);
      if (box === undefined) return false;
      if (box.to > this.#file.size) {
        this.problem ??= cut(`the “${box.type}” box`, box.to - box.at, this.#file.size - box.at);
        if (box.type !== 'mdat') return false;
      }
      this.#at = box.to;
      if (box.type === 'moof' && (await this.#readMoof(box))) return true;
    }
    return false;
  }

  async #readMoof(moof: Box): Promise<boolean> {
    let found = false;
    let previousEnd = moof.at;
    for (const traf of await boxesIn(this.#file, moof.from, moof.to)) {
      if (traf.type !== 'traf') continue;
      const boxes = await boxesIn(this.#file, traf.from, traf.to);
      const tfhd = boxes.find(({ type }) => type === 'tfhd');
      if (tfhd === undefined) continue;
      const head = new ByteReader(await this.#file.bytes(tfhd.from, Math.min(64, tfhd.to - tfhd.from)), CLAUSE);
      const flags = head.u32() & 0xff_ffff;
      const track = this.#tracks.get(head.u32());
      const base = (flags & BASE_OFFSET) !== 0 ? head.u64() : (flags & BASE_IS_MOOF) !== 0 ? moof.at : previousEnd;
      const own = track?.defaults;
      const defaults: FragmentDefaults = {
        description: (flags & DESCRIPTION) !== 0 ? head.u32() : (own?.description ?? 1),
        duration: (flags & DURATION) !== 0 ? head.u32() : (own?.duration ?? 0),
        size: (flags & SIZE) !== 0 ? head.u32() : (own?.size ?? 0),
        flags: (flags & FLAGS) !== 0 ? head.u32() : (own?.flags ?? 0),
      };
      if (track === undefined) continue;
      let decodeTime = await this.#baseTime(boxes.find(({ type }) => type === 'tfdt'));
      let at = base;
      for (const trun of boxes) {
        if (trun.type !== 'trun') continue;
        const run = await this.#readRun(trun, base, at, defaults, decodeTime);
        track.add(run);
        this.#waiting++;
        decodeTime = undefined;
        at = Number.NaN;
        found = true;
      }
      previousEnd = base;
    }
    return found;
  }

  async #baseTime(tfdt: Box | undefined): Promise<number | undefined> {
    if (tfdt === undefined) return undefined;
    const reader = new ByteReader(await this.#file.bytes(tfdt.from, Math.min(12, tfdt.to - tfdt.from)), CLAUSE);
    const version = reader.u32() >>> 24;
    return version === 1 ? reader.u64() : reader.u32();
  }

  async #readRun(
    trun: Box,
    base: number,
    next: number,
    defaults: FragmentDefaults,
    decodeTime: number | undefined,
  ): Promise<Run> {
    const head = new ByteReader(await this.#file.bytes(trun.from, Math.min(16, trun.to - trun.from)), CLAUSE);
    const flags = head.u32() & 0xff_ffff;
    const claimed = head.u32();
    const at = (flags & RUN_OFFSET) !== 0 ? base + head.i32() : next;
    const firstFlags = (flags & RUN_FIRST_FLAGS) !== 0 ? head.u32() : undefined;
    const rowBytes = 4 * [RUN_DURATION, RUN_SIZE, RUN_FLAGS, RUN_COMPOSITION].filter((flag) => flags & flag).length;
    const table = new Table(this.#file, trun.from + head.offset, trun.to, Math.max(1, rowBytes), claimed);
    const count = rowBytes === 0 ? claimed : table.rows;
    return { table, count, flags, defaults, firstFlags, decodeTime, at };
  }

  /** A run of a track was read to its end. */
  done(): void {
    this.#waiting--;
  }
}

/** The samples of one track in all fragments. */
export class FragmentSamples implements Samples {
  readonly defaults: FragmentDefaults | undefined;
  /** Where the next runs come from; set by their reader. */
  fragments: Fragments | undefined;
  readonly #isVideo: boolean;
  readonly #runs: Run[] = [];
  readonly #before: SampleTableLike;
  #hasTable = true;
  #next = 0;
  #decodeTime: number | undefined;
  #at = 0;

  /** `before`: samples of the index, which precede the fragments. */
  constructor(isVideo: boolean, defaults: FragmentDefaults | undefined, before: SampleTableLike) {
    this.#isVideo = isVideo;
    this.defaults = defaults;
    this.#before = before;
  }

  add(run: Run): void {
    this.#runs.push(run);
  }

  async next(sample: Sample): Promise<boolean> {
    if (this.#hasTable) {
      if (await this.#before.next(sample)) return true;
      this.#hasTable = false;
    }
    let run = this.#runs[0];
    while (run === undefined || this.#next >= run.count) {
      if (run !== undefined) {
        this.#runs.shift();
        this.#next = 0;
        this.fragments?.done();
      } else if (this.fragments === undefined || !(await this.fragments.readMore())) return false;
      run = this.#runs[0];
    }
    if (this.#next === 0) this.#open(run);
    const { table, flags, defaults, firstFlags } = run;
    if (flags & (RUN_DURATION | RUN_SIZE | RUN_FLAGS | RUN_COMPOSITION)) {
      if (!table.isLoaded) await table.load();
      if (!table.isLoaded) throw new WireError('CONTAINER_TABLE', 'a run ends before its samples', CLAUSE, this.#at);
    }
    let row = table.isLoaded ? table.row() : 0;
    const take = (flag: number): number | undefined => {
      if ((flags & flag) === 0) return undefined;
      row += 4;
      return flag === RUN_COMPOSITION ? table.i32(row - 4) : table.u32(row - 4);
    };
    sample.duration = take(RUN_DURATION) ?? defaults.duration;
    sample.size = take(RUN_SIZE) ?? defaults.size;
    const own = take(RUN_FLAGS);
    const sampleFlags = (this.#next === 0 ? (firstFlags ?? own) : own) ?? defaults.flags;
    sample.offset = take(RUN_COMPOSITION) ?? 0;
    sample.isKey = !this.#isVideo || (sampleFlags & NOT_KEY) === 0;
    sample.description = defaults.description;
    sample.decodeTime = this.#decodeTime ?? 0;
    sample.at = this.#at;
    this.#decodeTime = sample.decodeTime + sample.duration;
    this.#at += sample.size;
    this.#next++;
    return true;
  }

  #open(run: Run): void {
    this.#decodeTime = run.decodeTime ?? this.#decodeTime ?? this.#before.endTime;
    // A run without an offset follows the one before it.
    if (!Number.isNaN(run.at)) this.#at = run.at;
  }
}

/** Samples of the index, whose end is that of the first fragment's start where it has none. */
export interface SampleTableLike extends Samples {
  readonly endTime: number;
}
