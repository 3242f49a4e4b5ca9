/** A stand-in for an ffmpeg that a stream controls: nothing but a regular file of its own is served of what it leaves. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PlaybackHarness, playbackHarness } from '../support/playback-harness.js';
import { temporaryFolderOfFile, until } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
let harness: PlaybackHarness;
let ffmpeg = '';
beforeAll(async () => {
  harness = await playbackHarness(folder.path, undefined, () => ffmpeg);
  writeFileSync(join(folder.path, 'key-secret'), 'the secret of the server');
  harness.begin('5');
});
afterAll(async () => {
  await harness.close();
  folder.remove();
});

/** From now on, a preview is made by this script, in the folder of the preview. */
function standIn(script: string): void {
  ffmpeg = join(mkdtempSync(join(folder.path, 'tool-')), 'ffmpeg');
  writeFileSync(ffmpeg, `#!/bin/sh\n${script}\nexec sleep 1000\n`, { mode: 0o755 });
}

const refusals = () =>
  harness.log.lines.filter(({ message }) => message.startsWith('an HLS preview is refused')).length;

async function get(name: string): Promise<{ status: number; text: string }> {
  const url = harness.origin + harness.playback.links('5').hls.replace('index.m3u8', name);
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

const PLAYLIST = "printf '#EXTM3U\\n7.ts\\n' > draft; mv draft index.m3u8";

test('serves regular files', async () => {
  standIn(`printf segment > 7.ts; ${PLAYLIST}`);
  expect((await get('index.m3u8')).text).toContain('7.ts?ticket=');
  expect(await get('7.ts')).toEqual({ status: 200, text: 'segment' });
  expect((await get('8.ts')).status).toBe(404);
  harness.skip(31_000);
  await until(() => harness.playback.viewers('5').now === 0);
});

test.each([
  ['a link', 'ln -s ../../../key-secret 7.ts'],
  ['a link with the path from the root', `ln -s ${join(folder.path, 'key-secret')} 7.ts`],
  ['a hard link', 'echo x > other; ln other 7.ts'],
  ['a pipe', 'mkfifo 7.ts'],
  ['a folder', 'mkdir 7.ts'],
])('refuses %s in place of a segment, and ends the preview', async (_, script) => {
  standIn(`${script}; ${PLAYLIST}`);
  const before = refusals();
  expect((await get('index.m3u8')).status).toBe(200);
  expect((await get('7.ts')).status).toBe(404);
  expect(refusals()).toBe(before + 1);
  expect(harness.playback.viewers('5').now).toBe(0);
});

test.each([
  ['a link', 'ln -s ../../../key-secret index.m3u8'],
  ['a pipe', 'mkfifo index.m3u8'],
  ['more than a playlist', 'head -c 100000 /usr/bin/perl > draft; mv draft index.m3u8'],
])('refuses %s in place of the playlist, and ends the preview', async (_, script) => {
  standIn(script);
  const before = refusals();
  expect((await get('index.m3u8')).status).toBe(404);
  expect(refusals()).toBe(before + 1);
});

test('folders that are deeper than any path do not keep a preview, or the next start, from being removed', async () => {
  standIn(`${PLAYLIST}; perl -e '$_ = "d" x 200; for my $i (1 .. 60) { mkdir $_; chdir $_ or die }'; echo > 1.ts`);
  expect((await get('index.m3u8')).status).toBe(200);
  await until(async () => (await get('1.ts')).status === 200);
  harness.skip(31_000);
  await until(() => harness.playback.viewers('5').now === 0);
  await harness.close();
  expect(harness.log.lines.filter(({ message }) => message.includes('remove'))).toEqual([]);
  harness = await playbackHarness(folder.path, undefined, () => ffmpeg);
});
