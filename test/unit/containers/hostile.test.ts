/** Files whose numbers lie: a report with the reason comes of each, in bounded time and memory. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkContainer } from '../../../src/check/container-check.js';
import { withEdits } from '../../support/container-edits.js';
import { folderOfFile } from '../../support/folders.js';
import { makeMedia } from '../../support/media-files.js';

const folder = folderOfFile('airlock-hostile-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const made = (name: string, options: readonly string[] = []) =>
  readFileSync(makeMedia(join(folder, name), { seconds: 1, options }));
const check = (bytes: Uint8Array) =>
  checkContainer({ size: bytes.length, read: async (at, length) => bytes.slice(at, at + length) }, 'hostile');

test('a table of four billion frames ends where the file does', async () => {
  const file = made('frames.mp4');
  const [sizes, chunks] = [file.indexOf('stsz'), file.indexOf('stsc')];
  file.writeUInt32BE(1, sizes + 8);
  file.writeUInt32BE(0xffff_ffff, sizes + 12);
  file.writeUInt32BE(0xffff_ffff, chunks + 16);
  const report = await check(file);
  expect(report).toMatchObject({ outcome: 'unreadable', problem: 'truncated file: frames lie behind its end' });
});

test('frames that share the same bytes many times are refused', async () => {
  const file = made('shared.mp4');
  const sizes = file.indexOf('stsz');
  file.writeUInt32BE(file.length - 2000, sizes + 8);
  const places = file.indexOf('stco');
  for (let i = 0; i < file.readUInt32BE(places + 8); i++) file.writeUInt32BE(100, places + 12 + 4 * i);
  expect((await check(file))?.problem).toMatch(/frames overlap in the file|longer than the rest|behind its end/);
});

test('an edit list of a hundred thousand parts is searched, not walked', async () => {
  const parts = Array.from({ length: 100_000 }, (_, i) => ({ fromS: (i % 900) / 1000, forS: 0.001 }));
  const report = await check(withEdits(made('edits.mp4'), parts));
  expect(report?.notes).toEqual(expect.arrayContaining([expect.stringContaining('The edit list leaves out parts')]));
});

test('a PES packet without an end is given up at the size of the largest frame', async () => {
  const file = made('endless.ts');
  const packets = Array.from({ length: Math.floor(file.length / 188) }, (_, i) =>
    file.subarray(i * 188, i * 188 + 188),
  );
  const first = packets.findIndex((packet) => (packet.readUInt16BE(1) & 0x5fff) === 0x4100);
  const rest = Array.from({ length: 95_000 }, (_, i) => {
    const packet = Buffer.alloc(188, 0xaa);
    packet.writeUInt32BE(0x47010010 | ((i + 1) & 15));
    return packet;
  });
  const report = await check(Buffer.concat([...packets.slice(0, first + 1), ...rest]));
  expect(report).toMatchObject({
    outcome: 'unreadable',
    problem: expect.stringMatching(/a frame of \d+ bytes \(at byte \d+\)/),
  });
});

test('a cluster of bytes that are no elements is named, and what follows is read', async () => {
  const file = made('damaged.mkv', ['-cluster_time_limit', '200']);
  const cluster = Buffer.from('1f43b675', 'hex');
  const second = file.indexOf(cluster, file.indexOf(cluster) + 4);
  file.fill(0, second, second + 40);
  const report = await check(file);
  expect(report).toMatchObject({ outcome: 'unreadable', problem: expect.stringMatching(/^damaged file: no element/) });
  expect(report?.stream?.streamTimeMs).toBeGreaterThan(500);
});

test('lacing whose sizes exceed the block is damage, not frames', async () => {
  const file = made('laced.mkv', ['-live', '1']);
  const cluster = file.indexOf(Buffer.from('1f43b675', 'hex'));
  const block = file.indexOf(0xa3, cluster + 12);
  const sizeBytes = Math.clz32(file[block + 1] ?? 0) - 23;
  const flags = block + 1 + sizeBytes + 3;
  file[flags] = (file[flags] ?? 0) | 0x02;
  file.fill(0xff, flags + 1, flags + 1100);
  expect((await check(file))?.problem).toMatch(/^damaged file: no block/);
});
