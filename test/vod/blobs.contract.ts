/** The contract of a blob store. Run against a folder and a real S3-compatible server. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { BlobMissingError, type Blobs } from '../../src/ports/index.js';

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function keysBelow(blobs: Blobs, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) keys.push(key);
  return keys.sort();
}

export function blobsContract(blobs: () => Blobs, folder: () => string): void {
  test('reads back what was put, whole and in ranges', async () => {
    const bytes = randomBytes(300_000);
    const info = await blobs().put('videos/1/source.mp4', pieces(bytes, 7_001));
    expect(info.size).toBe(bytes.length);
    expect(await blobs().stat('videos/1/source.mp4')).toEqual(info);
    expect(sha(await buffer(await blobs().read('videos/1/source.mp4')))).toBe(sha(bytes));
    const part = await buffer(await blobs().read('videos/1/source.mp4', { start: 100, end: 299 }));
    expect(part).toEqual(bytes.subarray(100, 300));
  });

  test('stores small and empty blobs', async () => {
    await blobs().put('videos/2/small.vtt', Buffer.from('WEBVTT'));
    expect((await buffer(await blobs().read('videos/2/small.vtt'))).toString()).toBe('WEBVTT');
    const info = await blobs().put('videos/2/empty', pieces(new Uint8Array(0), 1));
    expect(info.size).toBe(0);
  });

  test('adopts a file of many parts and removes it from the local disk', async () => {
    const bytes = randomBytes(19 * 1024 * 1024 + 17);
    const path = join(folder(), 'adopted');
    writeFileSync(path, bytes);
    const info = await blobs().adopt('incoming/3/file', path);
    expect(info.size).toBe(bytes.length);
    expect(existsSync(path)).toBe(false);
    expect(sha(await buffer(await blobs().read('incoming/3/file')))).toBe(sha(bytes));
  });

  test('a second put replaces the blob and its ETag', async () => {
    const first = await blobs().put('videos/4/a', Buffer.from('one'));
    const second = await blobs().put('videos/4/a', Buffer.from('two!'));
    expect(second.etag).not.toBe(first.etag);
    expect(second.etag).toMatch(/^".+"$/);
    expect((await buffer(await blobs().read('videos/4/a'))).toString()).toBe('two!');
  });

  test('a failed put leaves the previous state', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield randomBytes(9 * 1024 * 1024);
      yield randomBytes(9 * 1024 * 1024);
      throw new Error('the peer has gone');
    }
    await expect(blobs().put('videos/5/a', broken())).rejects.toThrow('the peer has gone');
    expect(await blobs().stat('videos/5/a')).toBeUndefined();
    await blobs().put('videos/5/a', Buffer.from('kept'));
    await expect(blobs().put('videos/5/a', broken())).rejects.toThrow('the peer has gone');
    expect((await buffer(await blobs().read('videos/5/a'))).toString()).toBe('kept');
  });

  test('reports a missing blob', async () => {
    expect(await blobs().stat('videos/6/nothing')).toBeUndefined();
    await expect(blobs().read('videos/6/nothing')).rejects.toBeInstanceOf(BlobMissingError);
    await blobs().delete('videos/6/nothing');
  });

  test('lists by prefix without deleted blobs', async () => {
    for (const name of ['a', 'b', 'thumbs/1.jpg']) await blobs().put(`videos/70/${name}`, Buffer.from(name));
    await blobs().put('videos/7/other', Buffer.from('x'));
    expect(await keysBelow(blobs(), 'videos/70/')).toEqual(['videos/70/a', 'videos/70/b', 'videos/70/thumbs/1.jpg']);
    expect(await keysBelow(blobs(), 'videos/70/th')).toEqual(['videos/70/thumbs/1.jpg']);
    expect(await keysBelow(blobs(), 'videos/71/')).toEqual([]);
    await blobs().delete('videos/70/thumbs/1.jpg');
    await blobs().delete('videos/70/a');
    expect(await keysBelow(blobs(), 'videos/70/')).toEqual(['videos/70/b']);
  });

  test.each(['', '/a', 'a/../b', '../a', 'a//b', 'A', 'a b', `a${'b'.repeat(200)}`, '.drafts/x'])(
    'refuses the key %j',
    async (key) => {
      await expect((async () => blobs().put(key, Buffer.from('x')))()).rejects.toBeInstanceOf(RangeError);
    },
  );
}
