/** The recipe for a container (CONTRIBUTING.md), carried out for NSV. No muxer writes NSV, so the bytes are made here. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sniff } from '../../src/containers/formats.js';
import { DEMUXERS, findTruncation } from '../../src/probe/containers/registry.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

/** A header that states `size`, followed by zeros up to `bytes`. */
function nsvFile(name: string, size: number, bytes: number, signature = 'NSVf'): string {
  const file = Buffer.alloc(bytes);
  file.write(signature, 0, 'latin1');
  file.writeUInt32LE(28, 4);
  file.writeUInt32LE(size, 8);
  const path = join(folder.path, name);
  writeFileSync(path, file);
  return path;
}

test('recognizes files and streams, and opens both with the same demuxer', () => {
  for (const signature of ['NSVf', 'NSVs']) {
    expect(sniff(Buffer.from(`${signature}\0\0\0\x40`))).toEqual({ container: 'nsv', demuxer: 'nsv' });
  }
  expect(DEMUXERS).toContain('nsv');
});

test('reports what is missing of a truncated file', () => {
  expect(findTruncation(nsvFile('cut.nsv', 1_000, 400))).toMatch(/has 400 of 1000 bytes/);
});

test('reports nothing about a whole file', () => {
  expect(findTruncation(nsvFile('whole.nsv', 400, 400))).toBeUndefined();
});

test('reports nothing when the size is not stated', () => {
  expect(findTruncation(nsvFile('unseekable.nsv', 0xffffffff, 400))).toBeUndefined();
  expect(findTruncation(nsvFile('stream.nsv', 1_000, 400, 'NSVs'))).toBeUndefined();
});
