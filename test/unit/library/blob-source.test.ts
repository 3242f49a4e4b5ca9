/** Bytes of a blob: any part, in any order, read ahead where reading goes on. */
import { type BlobLike, BlobSource } from '../../../src/library/blob-source.js';

const SIZE = 60_000_000;
const STREAMED = 100_000;
const BYTES = Uint8Array.from({ length: SIZE }, (_, i) => (i * 7 + (i >> 9)) & 0xff);

/** Lists the parts that are read as streams. As in a browser, a buffer that is filled changes its owner. */
function listed() {
  const parts: (readonly [number, number])[] = [];
  const blob: BlobLike = {
    size: SIZE,
    slice: (start, end) => ({
      stream: () => {
        parts.push([start, Math.min(end, SIZE)]);
        let at = start;
        return {
          getReader: () => ({
            async read(into) {
              const { byteOffset, length } = into;
              const { buffer } = structuredClone(into, { transfer: [into.buffer as ArrayBuffer] });
              const size = Math.max(0, Math.min(STREAMED, length, Math.min(end, SIZE) - at));
              const value = new Uint8Array(buffer, byteOffset, size);
              value.set(BYTES.subarray(at, at + size));
              at += size;
              return { done: size === 0, value };
            },
          }),
        };
      },
      arrayBuffer: async () => BYTES.slice(start, end).buffer,
    }),
  };
  return { blob, parts };
}

async function expectRead(source: BlobSource, offset: number, length: number, into?: Uint8Array): Promise<void> {
  const bytes = await source.read(offset, length, into);
  expect(Buffer.compare(bytes, BYTES.subarray(offset, Math.min(SIZE, offset + length)))).toBe(0);
}

test('reads on in ever larger parts, each of them once, four ahead of the one in use', async () => {
  const { blob, parts } = listed();
  const source = new BlobSource(blob);
  for (let offset = 0; offset < 6_000_000; offset += 300_000) await expectRead(source, offset, 200_000);
  const sizes = parts.map(([from, to]) => to - from);
  expect(sizes.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 128].map((factor) => factor * 128 * 1024));
  for (let offset = 6_000_000; offset < SIZE; offset += 1_000_000) await expectRead(source, offset, 1_000_003);
  expect(parts.slice(1).map(([from]) => from)).toEqual(parts.slice(0, -1).map(([, to]) => to));
  expect(await source.read(SIZE, 10)).toHaveLength(0);
});

test('bytes that were read stay as they are while reading goes on', async () => {
  const source = new BlobSource(listed().blob);
  const early = await source.read(1_000, 50);
  for (let offset = 0; offset < SIZE; offset += 500_000) await source.read(offset, 500_000);
  expect(Buffer.compare(early, BYTES.subarray(1_000, 1_050))).toBe(0);
});

test('a place that is offered is used', async () => {
  const source = new BlobSource(listed().blob);
  const place = new Uint8Array(3_000_000);
  await expectRead(source, 70, 100, place);
  await expectRead(source, 100_000, 3_000_000, place);
  expect(Buffer.compare(place, BYTES.subarray(100_000, 3_100_000))).toBe(0);
});

test('reads here and there take no more than is asked for, in parts of 128 KiB or more', async () => {
  const { blob, parts } = listed();
  const source = new BlobSource(blob);
  for (const offset of [0, SIZE - 1_000, 500, 5_000_000]) await expectRead(source, offset, 600);
  await expectRead(source, 20_000_000, 300_000);
  const small = 128 * 1024;
  expect(parts).toEqual([
    [0, small],
    [SIZE - 1_000, SIZE],
    [500, 500 + small],
    [5_000_000, 5_000_000 + small],
    [20_000_000, 20_300_000],
  ]);
});

test('a file that ends before its size gives what is there', async () => {
  const source = new BlobSource({ ...listed().blob, size: SIZE + 50 });
  await expectRead(source, SIZE - 10, 60);
  expect(await source.read(SIZE + 10, 5)).toHaveLength(0);
});

test('a file that was changed is not read as a stream, which would give other bytes or just end', async () => {
  const { blob } = listed();
  const slice: BlobLike['slice'] = (start, end) => ({
    ...blob.slice(start, end),
    arrayBuffer: () => Promise.reject(new Error('changed')),
  });
  const source = new BlobSource({ size: SIZE + 50, slice });
  await expect(source.read(SIZE - 10, 60)).rejects.toThrow('changed');
});

test('where a blob cannot be read into a given buffer, it is read whole, part by part', async () => {
  const { blob } = listed();
  const slice: BlobLike['slice'] = (start, end) => ({
    ...blob.slice(start, end),
    stream: () => ({
      getReader: () => {
        throw new TypeError('not a byte stream');
      },
    }),
  });
  const source = new BlobSource({ size: SIZE, slice });
  for (let offset = 0; offset < SIZE; offset += 900_000) await expectRead(source, offset, 1_000_000);
});

test('a blob of this process is read like any other', async () => {
  await expectRead(new BlobSource(new Blob([BYTES])), 1_234_567, 200_000);
});
