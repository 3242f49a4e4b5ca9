/** HLS previews: started on request, ended when idle. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type PlaybackHarness, playbackHarness } from '../support/playback-harness.js';
import { fetchStatus } from '../support/sockets.js';
import { until } from '../support/store-harness.js';
import { synthStream } from '../support/synth-stream.js';

let harness: PlaybackHarness;
beforeAll(async () => {
  harness = await playbackHarness();
});
afterAll(() => harness.close());

const folders = (): string[] =>
  readdirSync(join(harness.dataDir, 'previews')).flatMap((name) =>
    readdirSync(join(harness.dataDir, 'previews', name)),
  );

const segmentsOf = (text: string): string[] => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('a preview starts with the first request and ends half a minute after the last', async () => {
  const stream = harness.begin('5');
  const url = `${harness.origin}/playback/5/index.m3u8?ticket=${harness.playback.ticket('5', Date.now() + 10_000)}`;
  const asked = fetch(url);
  await until(() => stream.taps.size === 1);
  // As much as is kept while the child has not started.
  stream.send(synthStream({ durationMs: 5_000 }));
  const first = await asked;
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/vnd.apple.mpegurl']);
  const [segment = ''] = segmentsOf(await first.text());
  const bytes = Buffer.from(await (await fetch(new URL(segment, url))).arrayBuffer());
  expect([bytes.length % 188, bytes[0]]).toEqual([0, 0x47]);
  expect(harness.playback.viewers('5')).toEqual({ now: 1, peak: 1 });
  expect(folders()).toHaveLength(1);

  // The ticket has expired; playback continues.
  harness.skip(12_000);
  expect(await fetchStatus(url)).toBe(200);
  expect(await fetchStatus(new URL(segment, url))).toBe(200);
  expect((await fetch(url.replace('/5/', '/6/'))).status).toBe(403);

  harness.skip(31_000);
  await until(() => harness.playback.viewers('5').now === 0);
  await until(() => folders().length === 0);
  expect(await fetchStatus(url)).toBe(403);
  expect(await fetchStatus(new URL(segment, url))).toBe(403);
  harness.skip(5_000);
  await until(() => stream.taps.size === 0);
});

test('the playlist ends when the stream ends', async () => {
  const stream = harness.begin('5');
  const url = harness.origin + harness.playback.links('5').hls;
  const asked = fetch(url);
  await until(() => stream.taps.size === 1);
  stream.send(synthStream({ durationMs: 5_000 }));
  expect(await (await asked).text()).not.toContain('#EXT-X-ENDLIST');
  harness.stop('5');
  harness.playback.ended('5');
  let text = '';
  await until(async () => {
    text = await (await fetch(url)).text();
    return text.includes('#EXT-X-ENDLIST');
  });
  await until(() => harness.log.lines.some(({ message }) => message === 'HLS preview ended'));
  // New players get 404.
  const other = harness.origin + harness.playback.links('5', { untilMs: Date.now() + 3_600_000 }).hls;
  expect((await fetch(other)).status).toBe(404);
});

test('bounds the number of previews and removes those that a killed process left', async () => {
  const parent = join(harness.dataDir, 'previews');
  const gone = join(parent, `${2 ** 22 + 1}-abc`);
  mkdirSync(gone);
  const other = await playbackHarness(harness.dataDir);
  await until(() => !existsSync(gone));
  const ids = Array.from({ length: 9 }, (_, index) => String(100 + index));
  for (const id of ids) other.begin(id);
  const answers = ids.map((id) => fetch(other.origin + other.playback.links(id).hls).then((answer) => answer.status));
  await until(() => ids.filter((id) => other.streams.get(id)!.taps.size === 1).length === 8);
  expect(await Promise.race(answers)).toBe(503);
  await other.close();
  // Requests still waiting for a segment are aborted, by whichever side notices first.
  await Promise.allSettled(answers);
  expect(readdirSync(parent)).toEqual([]);
});
