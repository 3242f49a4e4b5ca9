/** Bytes of a blob: any part, in any order, read on as a stream where that is near. */
import { type BlobLike, BlobSource } from '../../../src/library/blob-source.js';

const SIZE = 12_000_000;
const PIECE = 100_000;
const BYTES = Uint8Array.from({ length: SIZE }, (_, i) => (i * 7 + (i >> 9)) & 0xff);

/** Counts the streams that are opened, and those that are left. */
function counted() {
  const opened: number[] = [];
  let canceled = 0;
  const blob: BlobLike = {
    size: SIZE,
    slice: (start, end) => ({
      stream: () => {
        opened.push(start);
        let at = start;
        return {
          getReader: () => ({
            async read() {
              if (at >= Math.min(end, SIZE)) return { done: true };
              const value = BYTES.slice(at, Math.min(end, at + PIECE));
              at += value.length;
              return { done: false, value };
            },
            async cancel() {
              canceled++;
            },
          }),
        };
      },
      arrayBuffer: async () => BYTES.slice(start, end).buffer,
    }),
  };
  return { blob, opened, canceled: () => canceled };
}

async function expectRead(source: BlobSource, offset: number, length: number): Promise<void> {
  const bytes = await source.read(offset, length);
  expect(Buffer.compare(bytes, BYTES.subarray(offset, Math.min(SIZE, offset + length)))).toBe(0);
}

test('reads on in one stream: within a piece, over several, over what is passed by, and to the end', async () => {
  const { blob, opened, canceled } = counted();
  const source = new BlobSource(blob);
  for (const [offset, length] of [
    [0, 3],
    [3, PIECE],
    [PIECE + 3, 3 * PIECE],
    [4_000_000, 10],
    [8_000_000, PIECE],
    [SIZE - 5, 100],
  ] as const) {
    await expectRead(source, offset, length);
  }
  expect(await source.read(SIZE, 10)).toHaveLength(0);
  expect([opened, canceled()]).toEqual([[0], 0]);
});

test('opens another stream for what is behind or far ahead, and leaves the one before', async () => {
  const { blob, opened, canceled } = counted();
  const source = new BlobSource(blob);
  for (const offset of [0, SIZE - 1_000, 500, 5_000_000]) await expectRead(source, offset, 600);
  expect([opened, canceled()]).toEqual([[0, SIZE - 1_000, 500, 5_000_000], 3]);
});

test('a file that ends before its size gives what is there', async () => {
  const { blob } = counted();
  const source = new BlobSource({ ...blob, size: SIZE + 50 });
  await expectRead(source, SIZE - 10, 60);
  expect(await source.read(SIZE + 10, 5)).toHaveLength(0);
});

test('a file that was changed is not read as a stream, which would give other bytes or just end', async () => {
  const { blob } = counted();
  const slice: BlobLike['slice'] = (start, end) => ({
    ...blob.slice(start, end),
    arrayBuffer: () => Promise.reject(new Error('changed')),
  });
  const source = new BlobSource({ size: SIZE + 50, slice });
  await expect(source.read(SIZE - 10, 60)).rejects.toThrow('changed');
});

test('a blob of this process is read like any other', async () => {
  await expectRead(new BlobSource(new Blob([BYTES])), 1_234_567, 200_000);
});
