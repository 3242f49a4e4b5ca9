/** The samples of a track by its sample table (ISO/IEC 14496-12, 8.6 and 8.7): times, sizes, places, key frames. */
import type { SourceReader } from '../source/source-reader.js';
import { type Box, boxesIn } from './boxes.js';
import type { Sample, Samples } from './sample.js';
import { Table } from './table.js';

/** Version and flags, number of rows. */
const ROWS_AT = 8;
/** Samples of plain sound that FFmpeg reads as one packet. */
const PLAIN_SAMPLES = 1024;

export class SampleTable implements Samples {
  readonly #stts: Table;
  readonly #ctts: Table | undefined;
  readonly #stsc: Table;
  readonly #sizes: Table | undefined;
  /** Size of all samples; 0: each has its own. */
  readonly #size: number;
  readonly #sizeBits: number;
  readonly #places: Table;
  readonly #isLongPlace: boolean;
  readonly #sync: Table | undefined;
  readonly #count: number;
  /** Bytes of a sample of plain sound, of which many are read as one; 0: other media. */
  readonly #plainBytes: number;

  #next = 0;
  #decodeTime = 0;
  #timesLeft = 0;
  #delta = 0;
  #offsetsLeft = 0;
  #offset = 0;
  #chunk = 0;
  #chunksLeft = 0;
  #perChunk = 0;
  #description = 1;
  #following: { first: number; perChunk: number; description: number } | undefined;
  #inChunk = 0;
  #place = 0;
  #nextSync = 0;

  private constructor(
    file: SourceReader,
    tables: ReadonlyMap<string, Box>,
    heads: ReadonlyMap<string, DataView>,
    plainBytes: number,
  ) {
    const table = (type: string, rowBytes: number, rowsAt = ROWS_AT): Table | undefined => {
      const box = tables.get(type);
      const head = heads.get(type);
      if (box === undefined || head === undefined || head.byteLength < rowsAt) return undefined;
      return new Table(file, box.from + rowsAt, box.to, rowBytes, head.getUint32(rowsAt - 4));
    };
    const none = new Table(file, 0, 0, 1, 0);
    this.#stts = table('stts', 8) ?? none;
    this.#ctts = table('ctts', 8);
    this.#stsc = table('stsc', 12) ?? none;
    this.#isLongPlace = tables.has('co64');
    this.#places = table('co64', 8) ?? table('stco', 4) ?? none;
    this.#sync = table('stss', 4);
    this.#plainBytes = plainBytes;
    const stsz = heads.get('stsz');
    const stz2 = heads.get('stz2');
    const hasSize = stsz !== undefined && stsz.byteLength >= 12;
    this.#size = hasSize ? stsz.getUint32(4) : 0;
    this.#sizeBits = !hasSize && stz2 !== undefined && stz2.byteLength >= 12 ? stz2.getUint8(7) : 32;
    const rowBytes = this.#sizeBits === 4 ? 1 : this.#sizeBits / 8;
    this.#sizes = this.#size > 0 ? undefined : (table('stsz', 4, 12) ?? table('stz2', rowBytes, 12));
    const claimed = (hasSize ? stsz : stz2)?.getUint32(8) ?? 0;
    const rows = this.#sizes?.rows ?? claimed;
    this.#count = this.#size > 0 ? claimed : Math.min(claimed, this.#sizeBits === 4 ? 2 * rows : rows);
  }

  /** `plainBytes`: size of a sample of sound that is not compressed. */
  static async open(file: SourceReader, stbl: Box, plainBytes = 0): Promise<SampleTable> {
    const tables = new Map<string, Box>();
    const heads = new Map<string, DataView>();
    for (const box of await boxesIn(file, stbl.from, stbl.to)) {
      if (tables.has(box.type)) continue;
      tables.set(box.type, box);
      const head = await file.bytes(box.from, Math.min(12, box.to - box.from));
      heads.set(box.type, new DataView(head.buffer, head.byteOffset, head.byteLength));
    }
    const isPlain = await hasUnitSteps(file, tables.get('stts'));
    return new SampleTable(file, tables, heads, isPlain ? plainBytes : 0);
  }

  /** Number of samples. */
  get count(): number {
    return this.#count;
  }

  /** Sum of the durations of the samples that were read. */
  get endTime(): number {
    return this.#decodeTime;
  }

  async next(sample: Sample): Promise<boolean> {
    if (this.#next >= this.#count) return false;
    if (this.#inChunk === 0 && !(await this.#openChunk())) return false;
    const sizes = this.#sizes;
    if (sizes === undefined) sample.size = this.#size;
    else sample.size = await this.#nextSize(sizes);
    while (this.#timesLeft === 0 && !this.#stts.isAtEnd) {
      if (!this.#stts.isLoaded) await this.#stts.load();
      const row = this.#stts.row();
      this.#timesLeft = this.#stts.u32(row);
      this.#delta = this.#stts.u32(row + 4);
    }
    const offsets = this.#ctts;
    if (offsets !== undefined) {
      while (this.#offsetsLeft === 0 && !offsets.isAtEnd) {
        if (!offsets.isLoaded) await offsets.load();
        const row = offsets.row();
        this.#offsetsLeft = offsets.u32(row);
        this.#offset = offsets.i32(row + 4);
      }
      if (this.#offsetsLeft === 0) this.#offset = 0;
      else this.#offsetsLeft--;
    }
    this.#next++;
    sample.isKey = this.#sync === undefined || this.#sync.rows === 0 || (await this.#isSync(this.#sync));
    sample.decodeTime = this.#decodeTime;
    sample.offset = this.#offset;
    sample.duration = this.#delta;
    sample.at = this.#place;
    sample.description = this.#description;
    if (this.#plainBytes > 0) this.#takeGroup(sample);
    this.#decodeTime += sample.duration;
    if (this.#timesLeft > 0) this.#timesLeft--;
    this.#place += sample.size;
    this.#inChunk--;
    return true;
  }

  /** The rest of a chunk, up to 1,024 samples, as one. */
  #takeGroup(sample: Sample): void {
    const count = Math.min(PLAIN_SAMPLES, this.#inChunk, this.#count - this.#next + 1);
    sample.size = count * this.#plainBytes;
    sample.duration = count;
    this.#inChunk -= count - 1;
    this.#next += count - 1;
  }

  async #openChunk(): Promise<boolean> {
    while (this.#inChunk === 0) {
      if (this.#chunksLeft === 0 && !(await this.#openRun())) return false;
      if (this.#places.isAtEnd) return false;
      if (!this.#places.isLoaded) await this.#places.load();
      const row = this.#places.row();
      this.#place = this.#isLongPlace ? this.#places.u64(row) : this.#places.u32(row);
      this.#chunk++;
      this.#chunksLeft--;
      this.#inChunk = this.#perChunk;
    }
    return true;
  }

  /** Chunks with the same number of samples, up to the first chunk of the next row. */
  async #openRun(): Promise<boolean> {
    const run = this.#following ?? (await this.#nextRun());
    if (run === undefined) return false;
    this.#following = await this.#nextRun();
    this.#perChunk = run.perChunk;
    this.#description = run.description;
    const end = this.#following?.first ?? Number.POSITIVE_INFINITY;
    this.#chunksLeft = Math.max(0, end - 1 - this.#chunk);
    return this.#chunksLeft > 0 || this.#following !== undefined;
  }

  async #nextRun(): Promise<{ first: number; perChunk: number; description: number } | undefined> {
    if (this.#stsc.isAtEnd) return undefined;
    if (!this.#stsc.isLoaded) await this.#stsc.load();
    const row = this.#stsc.row();
    return { first: this.#stsc.u32(row), perChunk: this.#stsc.u32(row + 4), description: this.#stsc.u32(row + 8) };
  }

  async #nextSize(sizes: Table): Promise<number> {
    // Two samples share a byte: the second one is what remains of the row.
    if (this.#sizeBits === 4 && this.#next % 2 === 1) return this.#half & 15;
    if (sizes.isAtEnd) return 0;
    if (!sizes.isLoaded) await sizes.load();
    const row = sizes.row();
    if (this.#sizeBits === 32) return sizes.u32(row);
    if (this.#sizeBits === 16) return sizes.u16(row);
    this.#half = sizes.u8(row);
    return this.#sizeBits === 4 ? this.#half >> 4 : this.#half;
  }
  #half = 0;

  /** The table lists the numbers of the key frames in ascending order. */
  async #isSync(sync: Table): Promise<boolean> {
    while (this.#nextSync < this.#next && !sync.isAtEnd) {
      if (!sync.isLoaded) await sync.load();
      this.#nextSync = sync.u32(sync.row());
    }
    return this.#nextSync === this.#next;
  }
}

/** All samples last one unit: samples of plain sound. */
async function hasUnitSteps(file: SourceReader, stts: Box | undefined): Promise<boolean> {
  if (stts === undefined) return false;
  const bytes = await file.bytes(stts.from, Math.min(16, stts.to - stts.from));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return bytes.length === 16 && view.getUint32(4) === 1 && view.getUint32(12) === 1;
}

/** How far negative composition offsets reach below 0: a reader moves all of them, so that none precedes its decoding. */
export async function lowestOffset(file: SourceReader, stbl: Box): Promise<number> {
  const box = (await boxesIn(file, stbl.from, stbl.to)).find(({ type }) => type === 'ctts');
  if (box === undefined) return 0;
  const head = await file.bytes(box.from, 8);
  if (head.length < 8) return 0;
  const table = new Table(file, box.from + 8, box.to, 8, new DataView(head.buffer, head.byteOffset).getUint32(4));
  let lowest = 0;
  // FFmpeg leaves out the last two rows.
  for (let row = 0; row < table.rows - 2; row++) {
    if (!table.isLoaded) await table.load();
    lowest = Math.min(lowest, table.i32(table.row() + 4));
  }
  return lowest;
}
