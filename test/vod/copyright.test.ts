/** Prints, references and the comparison of broadcasts, with the real ffmpeg, store and blobs. `test/long` has the bounds. */

import { SOUND_SAMPLE } from '../../src/detection/limits.js';
import { referenceRemoval, type StoredMatch, SYSTEM_EDGES } from '../../src/ports/index.js';
import {
  blobs,
  broadcast,
  lengthMsOf,
  openCopyright,
  openDetector,
  parts,
  print,
  refer,
  references,
  send,
  video,
  videos,
} from '../support/copyright-harness.js';
import { inFull } from '../support/in-full.js';
import { seededRandom } from '../support/random.js';
import { SOUND_RATE, song, talk } from '../support/sounds.js';
import { videoOf } from '../support/vod-harness.js';

openCopyright();
const music = song(31, 40);

test('compares a whole video with references of others, and keeps its print with it', async () => {
  const before = await video('page-b', music);
  await print(before);
  expect((await videoOf(parts, before)).data.copyrightCheck).toBeUndefined();
  const reference = await video('page-a', music);
  await refer(reference, 'page-a', ['page-friend']);
  const { data } = await videoOf(parts, reference);
  expect(data.print?.key.startsWith(`videos/${reference}/`)).toBe(true);
  expect((await blobs.stat(data.print?.key ?? ''))?.size).toBeGreaterThan(1_000);
  // Its own reference is no match, and there is no other.
  expect(data.copyrightCheck).toBeUndefined();

  const copied = await video('page-b', Buffer.concat([song(77, 12), music.subarray(2 * 5 * SOUND_RATE)]));
  await print(copied);
  const found = (await videoOf(parts, copied)).data.copyrightCheck;
  expect(found?.status).toBe('complete');
  expect(found?.matches.map((match) => match.reference_id)).toEqual([reference]);
  expect(found?.matches[0]?.length_ms).toBeGreaterThan(15_000);
  const { entries } = await parts.store.objects.page(SYSTEM_EDGES.copyrightMatches, { limit: 10 });
  expect(entries.map(({ value }) => (value as StoredMatch).subjectId)).toEqual([copied]);

  // `airlock reference rebuild`: the old print serves until the new one is made.
  const indexed = references.current.references;
  await videos.change(reference, (old) => ({ ...old, ...(old.print && { print: { ...old.print, sourceKey: '' } }) }));
  await references.load();
  expect(references.current.references).toBe(indexed);
  await print(reference);
  const again = (await videoOf(parts, reference)).data.print;
  expect(again?.key).not.toBe(data.print?.key);
  expect(await blobs.stat(data.print?.key ?? '')).toBeUndefined();

  const allowed = await video('page-friend', music);
  await print(allowed);
  expect((await videoOf(parts, allowed)).data.copyrightCheck).toBeUndefined();
  const other = await video('page-b', song(78, 30));
  await print(other);
  expect((await videoOf(parts, other)).data.copyrightCheck).toEqual({ status: 'complete', matches: [] });
});

inFull('pictures at the matched places raise the confidence, and other pictures lower nothing', async () => {
  const tune = song(41, 24);
  const film = 'mandelbrot=s=160x120:r=10:end_scale=0.01';
  const reference = await video('page-f', tune, film);
  await refer(reference, 'page-f', ['page-a', 'page-b']);
  const noisy = Buffer.from(tune);
  const random = seededRandom(9);
  for (let at = 0; at < noisy.length; at += 2) {
    noisy.writeInt16LE(Math.round(0.8 * noisy.readInt16LE(at) + 4_000 * (random() - 0.5)), at);
  }
  const matchIn = async (picture?: string) => {
    const copy = await video('page-g', noisy, picture);
    await print(copy);
    return (await videoOf(parts, copy)).data.copyrightCheck?.matches[0];
  };
  const [same, other, none] = [await matchIn(film), await matchIn('rgbtestsrc=s=160x120:r=10'), await matchIn()];
  expect(same?.pictures_compared).toBeGreaterThan(20);
  expect(same?.pictures_alike).toBe(same?.pictures_compared);
  expect(other?.pictures_alike).toBe(0);
  expect(none?.pictures_compared).toBeUndefined();
  expect(same?.confidence).toBeGreaterThan(other?.confidence ?? 1);
  expect(other?.confidence).toBe(none?.confidence);
  await parts.store.objects.commit(referenceRemoval('page-f', reference));
  await references.load();
});

test('silence and a tone are no references', async () => {
  const before = references.current.references;
  const tone = Buffer.alloc(2 * 30 * SOUND_RATE);
  for (let at = 0; at < tone.length; at += 2) tone.writeInt16LE(Math.round(9_000 * Math.sin(at / 20)), at);
  for (const flat of [Buffer.alloc(2 * 30 * SOUND_RATE), tone]) await refer(await video('page-a', flat), 'page-a');
  await references.load();
  expect(references.current.references).toBe(before);
});

inFull('finds a reference in a broadcast of another Page only, and no longer once it is removed', async () => {
  const reference = await video('page-c', music);
  await refer(reference, 'page-c', ['page-a']);
  await references.load();
  const stream = music.subarray(2 * 8 * SOUND_RATE);
  // Both references have this song.
  expect(await broadcast('page-d', stream, 2)).toHaveLength(2);
  expect(await broadcast('page-a', stream, 1)).toHaveLength(0);
  await parts.store.objects.commit(referenceRemoval('page-c', reference));
  await references.load();
  expect(await broadcast('page-d', stream, 1)).toHaveLength(1);
});

test('two windows of a reference are enough sound, wherever a broadcast has them', async () => {
  const tune = song(47, 24);
  const reference = await video('page-j', tune);
  await refer(reference, 'page-j');
  await references.load();
  const found = await confirmedAfter(7_000, tune);
  expect(found.isPart).toBe(true);
  expect(found.lengthMs).toBeLessThan(2 * SOUND_SAMPLE.stepMs + SOUND_SAMPLE.leadMs + 300);
  // The operator hears the whole sample before it.
  expect(found.heard).toMatchObject({ startMs: found.beforeMs, windows: 1 });
  await parts.store.objects.commit(referenceRemoval('page-j', reference));
});

/** Sends talk, then the tune, up to a match. */
async function confirmedAfter(talkMs: number, tune: Buffer) {
  const stream = Buffer.concat([talk(61, talkMs / 1_000), tune]);
  const { detector, clock } = openDetector();
  const sent: { readonly isPart: boolean; readonly startMs: number; readonly endMs: number }[] = [];
  let heard: StoredMatch['heard'];
  await send('page-l', stream, async ({ sample, flv }, tap) => {
    if (heard !== undefined) return;
    const { startMs, isPart = false } = sample;
    clock.nowMs = startMs + lengthMsOf(flv);
    const { matches, wantedToMs } = await detector.check(sample, flv);
    if (wantedToMs !== undefined) tap.want(wantedToMs);
    sent.push({ isPart, startMs, endMs: clock.nowMs });
    if (matches.length === 0) return;
    const { entries } = await parts.store.objects.page(SYSTEM_EDGES.copyrightMatches, { limit: 1 });
    heard = (entries[0]?.value as StoredMatch | undefined)?.heard;
  });
  const { isPart, endMs = 0 } = sent.at(-1) ?? {};
  return { isPart, lengthMs: endMs - talkMs, heard, beforeMs: sent.at(-2)?.startMs };
}

inFull('key frames of a broadcast raise the confidence, and other pictures lower nothing', async () => {
  const tune = song(43, 26);
  const film = 'mandelbrot=s=160x120:r=10:end_scale=0.01';
  const reference = await video('page-h', tune, film);
  await refer(reference, 'page-h', ['page-a', 'page-b']);
  await references.load();
  const [same] = await broadcast('page-i', tune, 1, film);
  const [other] = await broadcast('page-i', tune, 1, 'rgbtestsrc=s=160x120:r=10');
  expect(same?.pictures_compared).toBeGreaterThanOrEqual(3);
  expect(same?.pictures_alike).toBe(same?.pictures_compared);
  expect(other?.pictures_alike).toBe(0);
  expect(same?.confidence).toBeGreaterThan(other?.confidence ?? 1);
  expect(other?.confidence).toBeCloseTo(1 - 2 * (other?.error_rate ?? 1), 2);
  const { entries } = await parts.store.objects.page(SYSTEM_EDGES.copyrightMatches, { limit: 10 });
  expect(entries.map(({ value }) => (value as StoredMatch).details)).toContainEqual(same);
  await parts.store.objects.commit(referenceRemoval('page-h', reference));
});
