/** What is on the disk while a segment is written and after its end: directly (O_DIRECT), through the page cache, and in turn. */
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SliceList } from '../../src/bytes/slices.js';
import { ALIGNED_BYTES, AlignedBuffers, BLOCK_BYTES, type BufferPool } from '../../src/recording/aligned-buffers.js';
import { RECORDER } from '../../src/recording/limits.js';
import { DirectWrites, ownDisk } from '../../src/recording/segment-disk.js';
import { SegmentFile } from '../../src/recording/segment-file.js';
import { SegmentQueue } from '../../src/recording/segment-queue.js';
import { openSegment } from '../../src/recording/segment-reader.js';
import { temporaryFolderOfFile, until } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

/** File header, one tag without its payload, and the last back pointer. */
const FRAME_BYTES = 9 + 15 + 4;
const noise = Uint8Array.from({ length: 2_000_000 }, (_, n) => (n * 2_654_435_761) >>> 24);

/** Whether the file system of the tests takes direct writes; the kernel's own answer. */
function takesDirectWrites(): boolean {
  try {
    closeSync(openSync(join(folder.path, 'tried'), constants.O_WRONLY | constants.O_CREAT | constants.O_DIRECT));
    return true;
  } catch {
    return false;
  }
}

let count = 0;

function begin({ direct = true, buffers = new AlignedBuffers() as BufferPool } = {}) {
  const path = join(folder.path, String(count++), 'segment.flv');
  const refusals: Error[] = [];
  const errors: Error[] = [];
  const state = { isClosed: false, waiting: 0 };
  const writes = new DirectWrites({ info: (fields) => void refusals.push(Reflect.get(fields, 'error')) });
  if (!direct) writes.refused(new Error('as a file system without direct writes'));
  const segment = new SegmentFile('1', path, ownDisk(writes, buffers), {
    dirty: () => undefined,
    failed: (_, error) => errors.push(error),
    closed: () => {
      state.isClosed = true;
    },
    waiting: (delta) => {
      state.waiting += delta;
    },
  });
  const flush = (throughCache = false) =>
    new Promise<void>((resolve) => {
      if (!segment.flush(throughCache, resolve)) setImmediate(resolve);
    });
  const content = () => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0));
  /** The header is in the file. */
  const created = () =>
    until(async () => {
      await flush();
      return content().length > 0;
    });
  async function end(): Promise<void> {
    segment.end();
    await until(async () => {
      await flush();
      return state.isClosed;
    });
  }
  return { segment, path, refusals, errors, state, flush, end, created, content };
}

const tag = (payload: Uint8Array): SliceList => SliceList.of(payload.subarray(0, 700), payload.subarray(700));

/** The same bytes, put together here. */
function flv(...payloads: Uint8Array[]): Buffer {
  const parts = [Buffer.from([0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9])];
  let before = 0;
  for (const payload of payloads) {
    const head = Buffer.alloc(15);
    head.writeUInt32BE(before);
    head.writeUInt32BE(payload.length, 4);
    head[4] = 9;
    parts.push(head, Buffer.from(payload));
    before = payload.length + 11;
  }
  const last = Buffer.alloc(4);
  last.writeUInt32BE(before);
  return Buffer.concat([...parts, last]);
}

const blocks = (n: number, more: number): number => n * BLOCK_BYTES + more;
const SIZES = [
  FRAME_BYTES,
  ...[-1, 0, 1].flatMap((more) => [blocks(1, more), blocks(2, more), ALIGNED_BYTES + more, 4 * ALIGNED_BYTES + more]),
  RECORDER.writeBytes + 123,
  1_234_567,
];

test.each([
  ['directly', true],
  ['through the cache', false],
])('a file written %s has every byte and none more, for sizes around blocks and buffers', async (_, direct) => {
  for (const size of SIZES) {
    const file = begin({ direct });
    const payload = noise.subarray(0, size - FRAME_BYTES);
    file.segment.append('video', 0, tag(payload), 0);
    if (size % 2 === 0) await file.flush();
    await file.end();
    expect(file.errors).toEqual([]);
    expect([size, file.content().equals(flv(payload))]).toEqual([size, true]);
    expect(file.content().length).toBe(size);
    expect(file.state.waiting).toBe(0);
  }
});

test('while a file grows it is a prefix of the stream, in whole blocks, whichever way each write goes', async () => {
  const file = begin();
  const payloads: Uint8Array[] = [];
  let shown = 0;
  await file.created();
  for (let n = 0; n < 60; n++) {
    const payload = noise.subarray(n * 100, n * 100 + 1_000 + ((n * 7_919) % 90_000));
    payloads.push(payload);
    file.segment.append('video', 0, tag(payload), 0);
    await file.flush(n % 3 === 1);
    const now = file.content();
    expect(now.length).toBeGreaterThanOrEqual(shown);
    expect(
      flv(...payloads)
        .subarray(0, now.length)
        .equals(now),
    ).toBe(true);
    if (file.refusals.length === 0) expect(file.segment.waitingBytes).toBeLessThan(BLOCK_BYTES);
    shown = now.length;
  }
  await file.end();
  expect(file.content().equals(flv(...payloads))).toBe(true);
  expect(file.refusals.length).toBe(takesDirectWrites() ? 0 : 1);
});

test('moves bytes that a write leaves to the start of its buffer, so that the next ones need no other', () => {
  let lent = 0;
  const pool: BufferPool = {
    isAligned: false,
    take: () => {
      lent++;
      return new Uint8Array(ALIGNED_BYTES);
    },
    release: () => lent--,
  };
  const queue = new SegmentQueue(pool);
  const size = ALIGNED_BYTES - 2 * BLOCK_BYTES - 77;
  let written = 0;
  for (let at = 0; at < 20 * size; at += size) {
    queue.put(noise, at, at + size);
    expect(lent).toBe(1);
    const bytes = queue.bytes - BLOCK_BYTES;
    expect(Buffer.concat(queue.first(bytes)).equals(noise.subarray(written, written + bytes))).toBe(true);
    queue.drop(bytes);
    written += bytes;
    // At the same offset of a page as in the file.
    expect((queue.first(1)[0]?.byteOffset ?? 1) % BLOCK_BYTES).toBe(written % BLOCK_BYTES);
  }
  queue.drop(queue.bytes);
  expect(lent).toBe(0);
});

test('less than a block is in the file too, once it has waited, and is not repeated after it', async () => {
  const file = begin();
  const payloads = [noise.subarray(0, 100), noise.subarray(500, 700), noise.subarray(7, 9_000)];
  const [first = noise, second = noise, third = noise] = payloads;
  file.segment.append('video', 0, tag(first), 0);
  await file.created();
  expect(file.content().length).toBe(FRAME_BYTES - 4 + first.length);
  file.segment.append('video', 0, tag(second), 0);
  await file.flush();
  expect(file.content().length).toBe(FRAME_BYTES - 4 + first.length + 15 + second.length);
  file.segment.append('video', 0, tag(third), 0);
  await file.flush();
  await file.end();
  expect(file.content().equals(flv(...payloads))).toBe(true);
});

test('a write that the kernel refuses is repeated through the page cache, which is then kept', async () => {
  const region = new ArrayBuffer(64 * ALIGNED_BYTES);
  let at = 16;
  // 16 bytes beyond a page or not: no block begins here.
  const odd: BufferPool = {
    isAligned: true,
    take: () => {
      at += ALIGNED_BYTES;
      return new Uint8Array(region, at - ALIGNED_BYTES + 8, ALIGNED_BYTES);
    },
    release: () => undefined,
  };
  const file = begin({ buffers: odd });
  const payload = noise.subarray(0, 500_000);
  file.segment.append('video', 0, tag(payload), 0);
  await until(async () => {
    await file.flush();
    return file.segment.waitingBytes === 0;
  });
  expect(file.refusals.map((error) => Reflect.get(error, 'code'))).toEqual(['EINVAL']);
  await file.end();
  expect(file.errors).toEqual([]);
  expect(file.content().equals(flv(payload))).toBe(true);
});

test('the kernel takes every buffer of the pool for a direct write', () => {
  if (!takesDirectWrites()) return;
  const pool = new AlignedBuffers();
  const taken = Array.from({ length: 300 }, () => pool.take());
  expect(pool.isAligned).toBe(true);
  const path = join(folder.path, 'pool');
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_DIRECT);
  taken.forEach((buffer, n) => {
    buffer.fill(n);
    expect(writeSync(file, buffer, 0, BLOCK_BYTES, n * BLOCK_BYTES)).toBe(BLOCK_BYTES);
  });
  closeSync(file);
  const written = readFileSync(path);
  expect(taken.every((_, n) => written[n * BLOCK_BYTES + 7] === n % 256)).toBe(true);
});

test('reuses released buffers, and drops unused regions except one', () => {
  const pool = new AlignedBuffers();
  const first = pool.take();
  pool.release(first);
  expect(pool.take()).toBe(first);
  const region = pool.reservedBytes;
  const more = Array.from({ length: (3 * region) / ALIGNED_BYTES }, () => pool.take());
  expect(
    new Set(
      more.map((buffer) => `${more.findIndex(({ buffer: memory }) => memory === buffer.buffer)} ${buffer.byteOffset}`),
    ).size,
  ).toBe(more.length);
  expect(pool.reservedBytes).toBe(4 * region);
  for (const buffer of more) pool.release(buffer);
  expect(pool.reservedBytes).toBe(2 * region);
  pool.release(new Uint8Array(8));
  expect(pool.take()).not.toHaveLength(8);
});

test('without room for an aligned region, buffers are ordinary memory', () => {
  const { Memory } = Reflect.get(globalThis, 'WebAssembly') as { Memory: unknown };
  const assembly = Reflect.get(globalThis, 'WebAssembly') as object;
  Reflect.set(
    assembly,
    'Memory',
    class {
      constructor() {
        throw new RangeError('could not allocate memory');
      }
    },
  );
  try {
    const pool = new AlignedBuffers();
    expect(pool.take()).toHaveLength(ALIGNED_BYTES);
    expect(pool.isAligned).toBe(false);
  } finally {
    Reflect.set(assembly, 'Memory', Memory);
  }
});

test('a segment is read back byte by byte, whatever its size, and closed when the reader stops early', async () => {
  const path = join(folder.path, 'read');
  await expect(openSegment(path)).rejects.toMatchObject({ code: 'ENOENT' });
  for (const size of [
    0,
    1,
    BLOCK_BYTES,
    BLOCK_BYTES + 1,
    16 * ALIGNED_BYTES,
    16 * ALIGNED_BYTES + BLOCK_BYTES,
    1_900_003,
  ]) {
    writeFileSync(path, noise.subarray(0, size));
    const parts: Uint8Array[] = [];
    for await (const part of await openSegment(path)) parts.push(part);
    expect([size, Buffer.concat(parts).equals(noise.subarray(0, size))]).toEqual([size, true]);
  }
  for await (const part of await openSegment(path)) {
    expect(part.length).toBeGreaterThan(0);
    break;
  }
  const isOpen = () => readdirSync('/proc/self/fd').some((name) => linkOf(`/proc/self/fd/${name}`) === path);
  if (existsSync('/proc/self/fd')) await until(() => !isOpen());
});

/** Empty for a descriptor that was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('a folder that cannot be made is an error of the segment, and nothing stays queued', async () => {
  closeSync(openSync(join(folder.path, String(count)), 'w'));
  const file = begin();
  await until(() => file.state.isClosed);
  expect(file.errors.map((error) => Reflect.get(error, 'code'))).toEqual(['EEXIST']);
  expect(file.state.waiting).toBe(0);
});

test('a file that is removed before its rest is written is no error: its broadcast was deleted', async () => {
  const file = begin();
  file.segment.append('video', 0, tag(noise.subarray(0, 5_000)), 0);
  await file.created();
  // The direct write has taken whole blocks; the rest needs a descriptor that is not open yet.
  expect(file.content().length).toBe(takesDirectWrites() ? BLOCK_BYTES : 9 + 15 + 5_000);
  rmSync(dirname(file.path), { recursive: true });
  await file.end();
  expect(file.errors).toEqual([]);
  expect(file.state.waiting).toBe(0);
});
