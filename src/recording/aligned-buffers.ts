/**
 * Pool of buffers for writes past the page cache (O_DIRECT), which need memory at multiples of the block size. JavaScript does
 * not see addresses, but the buffer of a `WebAssembly.Memory` begins at a page: V8 maps it by itself, in pages of 64 KB.
 * Memory that was never used is not resident; used memory stays so until its region is given back.
 */

/** A region of 16 MB reserves 8 to 10 GB of addresses, because V8 protects what lies behind it; so few of them. */
const REGION_BUFFERS = 512;
/** The last buffer of a recording is half empty on average: 64 KB took 2 MB more for 150 recordings, and no less time. */
export const ALIGNED_BYTES = 32 * 1024;
/** Positions and sizes of direct writes are multiples of it: the page, which is no smaller than a block of any disk. */
export const BLOCK_BYTES = 4_096;

const WEB_ASSEMBLY_PAGE_BYTES = 64 * 1024;

export interface BufferPool {
  /** False: its buffers are ordinary memory. */
  readonly isAligned: boolean;
  /** A buffer of `ALIGNED_BYTES` with arbitrary content. */
  take(): Uint8Array;
  /** Returns a buffer, once. It may be overwritten at once. */
  release(buffer: Uint8Array): void;
}

interface Region {
  readonly memory: ArrayBufferLike;
  /** Those that were made and are not lent; the last is lent first. */
  readonly free: Uint8Array[];
  made: number;
}

export class AlignedBuffers implements BufferPool {
  readonly #regions: Region[] = [];
  #isAligned = true;

  /** False once a region was refused, by a limit of address space (`ulimit -v`): buffers are ordinary memory from then on. */
  get isAligned(): boolean {
    return this.#isAligned;
  }

  /** Memory of all regions, used or not. */
  get reservedBytes(): number {
    return this.#regions.length * REGION_BUFFERS * ALIGNED_BYTES;
  }

  take(): Uint8Array {
    for (const region of this.#regions) {
      const buffer = region.free.pop() ?? madeIn(region);
      if (buffer !== undefined) return buffer;
    }
    const region: Region = { memory: this.#reserve(), free: [], made: 0 };
    this.#regions.push(region);
    return madeIn(region) as Uint8Array;
  }

  release(buffer: Uint8Array): void {
    const region = this.#regions.find(({ memory }) => memory === buffer.buffer);
    if (region === undefined) return;
    region.free.push(buffer);
    if (!isUnused(region)) return;
    // One unused region is kept, so that recordings at the edge of one do not make and drop another.
    const spare = this.#regions.findIndex((other) => other !== region && isUnused(other));
    if (spare >= 0) this.#regions.splice(Math.max(spare, this.#regions.indexOf(region)), 1);
  }

  #reserve(): ArrayBufferLike {
    const bytes = REGION_BUFFERS * ALIGNED_BYTES;
    if (this.#isAligned) {
      const memory = webAssemblyMemory(bytes / WEB_ASSEMBLY_PAGE_BYTES);
      if (memory !== undefined) return memory;
      this.#isAligned = false;
    }
    return Buffer.allocUnsafeSlow(bytes).buffer;
  }
}

function isUnused(region: Region): boolean {
  return region.free.length === region.made;
}

function madeIn(region: Region): Uint8Array | undefined {
  if (region.made === REGION_BUFFERS) return undefined;
  return new Uint8Array(region.memory, region.made++ * ALIGNED_BYTES, ALIGNED_BYTES);
}

type MemoryClass = new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };

/** `undefined` without WebAssembly (`--jitless`) or room for it. */
function webAssemblyMemory(pages: number): ArrayBuffer | undefined {
  const assembly: unknown = Reflect.get(globalThis, 'WebAssembly');
  if (typeof assembly !== 'object' || assembly === null) return undefined;
  const Memory = Reflect.get(assembly, 'Memory') as MemoryClass;
  try {
    return new Memory({ initial: pages, maximum: pages }).buffer;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
