/** Prints, references and the comparison of broadcasts, with the real ffmpeg, store and blobs. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveVideoData, VideoData } from '../../src/broadcast/documents.js';
import { SliceList } from '../../src/bytes/slices.js';
import { INDEX } from '../../src/copyright/limits.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { referenceRemoval, referenceWrites, type StoredMatch, SYSTEM_EDGES } from '../../src/ports/index.js';
import type { MatchDetails } from '../../src/spec/error-record.js';
import { FolderBlobs } from '../../src/vod/blobs/folder-blobs.js';
import { FingerprintWorker } from '../../src/vod/copyright/fingerprint-job.js';
import { DETECTOR } from '../../src/vod/copyright/limits.js';
import { witnessedWithin } from '../../src/vod/copyright/live-pictures.js';
import type { PrintPort } from '../../src/vod/copyright/print-port.js';
import { ReferenceIndex } from '../../src/vod/copyright/reference-index.js';
import { type Collected, SoundTap } from '../../src/vod/copyright/sound-tap.js';
import { StreamDetector } from '../../src/vod/copyright/stream-detector.js';
import { WorkFolder } from '../../src/vod/disk/work-folder.js';
import type { Job } from '../../src/vod/jobs/job.js';
import { VideoWriter } from '../../src/vod/videos/video-writer.js';
import { seededRandom } from '../support/random.js';
import { SOUND_RATE, song } from '../support/sounds.js';
import { realClock } from '../support/store-harness.js';
import { type VodParts, videoOf, vodParts } from '../support/vod-harness.js';

let parts: VodParts;
let blobs: FolderBlobs;
let references: ReferenceIndex;
let work: WorkFolder;
let videos: VideoWriter;
let worker: FingerprintWorker;
const music = song(31, 40);
const PCM = ['-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1', '-i', 'pipe:0'];

beforeAll(async () => {
  parts = await vodParts();
  const { store, log, dataDir, ids, media } = parts;
  blobs = await FolderBlobs.open(join(dataDir, 'blobs'), Date.now());
  references = new ReferenceIndex({ store, blobs, log });
  videos = new VideoWriter(store.objects, realClock, ids);
  work = await WorkFolder.open(join(dataDir, 'work'));
  const { prints } = media;
  worker = new FingerprintWorker({ store, blobs, clock: realClock, log, work, videos, prints, references });
});
afterAll(() => parts.close());

function encode(pcm: Buffer, to: readonly string[], picture?: string): void {
  const video = picture === undefined ? [] : ['-f', 'lavfi', '-i', picture, '-c:v', 'libx264', '-shortest'];
  const run = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-y', ...PCM, ...video, '-c:a', 'aac', '-b:a', '96k', '-ar', '48000', ...to],
    {
      input: pcm,
    },
  );
  if (run.status !== 0) throw new Error(run.stderr.toString());
}

/** A video with a file, as uploads and recordings leave it. */
async function video(ownerId: string, pcm: Buffer, picture?: string): Promise<string> {
  const { store, ids, dataDir } = parts;
  const id = ids.next();
  const path = join(dataDir, `${id}.mp4`);
  encode(pcm, ['-movflags', '+faststart', path], picture);
  const sourceKey = `videos/${id}/source.mp4`;
  await blobs.adopt(sourceKey, path);
  const data: VideoData = { ownerId, ownerKind: 'page', published: true, videoStatus: 'ready', sourceKey };
  const at = { createdMs: Date.now(), updatedMs: Date.now() };
  await store.objects.commit([{ op: 'put', object: { id, kind: 'video', ...at, data } }]);
  return id;
}

const print = (id: string) =>
  worker.run({ data: { type: 'fingerprint', subjectId: id, failures: 0 } } as Job, new AbortController().signal);

async function refer(
  videoId: string,
  ownerId: string,
  allowedPages: readonly string[] = [],
  policy: 'monitor' | 'block' = 'monitor',
): Promise<void> {
  const reference = { videoId, ownerId, policy, excluded: [], allowedPages } as const;
  await parts.store.objects.commit(referenceWrites(reference, Date.now()));
  await print(videoId);
}

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

test('pictures at the matched places raise the confidence, and other pictures lower nothing', async () => {
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

/** A live video, and the samples of a file that it sends. */
async function samplesOf(ownerId: string, pcm: Buffer, picture?: string): Promise<Collected[]> {
  const { store, ids, dataDir } = parts;
  const liveVideoId = ids.next();
  const at = { createdMs: Date.now(), updatedMs: Date.now() };
  const data = { ownerId, ownerKind: 'page', status: 'LIVE' } as unknown as LiveVideoData;
  await store.objects.commit([{ op: 'put', object: { id: liveVideoId, kind: 'live_video', ...at, data } }]);
  const path = join(dataDir, `${liveVideoId}.flv`);
  encode(pcm, ['-g', '20', '-f', 'flv', path], picture);
  const collected: Collected[] = [];
  const submit = (each: Collected) => void collected.push(each);
  const tap = new SoundTap({ liveVideoId, session: liveVideoId, isOn: () => true, submit });
  new FlvFileReader({
    tag: (kind, stamp, payload) => tap.packet(kind, stamp, SliceList.of(payload.copy(0, payload.length))),
  }).push(readFileSync(path));
  return collected;
}

/** Samples are printed as files are, without the pauses of the processor share, and each once. */
function withoutPauses({ prints }: VodParts['media']): PrintPort {
  const made = new Map<Uint8Array, Promise<Uint8Array>>();
  const make = async (flv: Uint8Array) => {
    const input = join(parts.dataDir, `sample-${parts.ids.next()}.flv`);
    writeFileSync(input, flv);
    return prints.print({ input, demuxer: 'flv' });
  };
  return {
    share: prints.share,
    isAvailable: () => prints.isAvailable(),
    print: (request) => prints.print(request),
    clip: (request) => prints.clip(request),
    pictures: (request) => prints.pictures(request),
    sample: async (flv) => {
      const items = made.get(flv) ?? make(flv);
      made.set(flv, items);
      return { items: await items, tookMs: 90 };
    },
  };
}

/** The time of `clock` follows the stream. */
function openDetector(): { detector: StreamDetector; clock: { nowMs: number } } {
  const { store, media, log } = parts;
  const time = { nowMs: 0 };
  const clock = { ...realClock, monotonicMs: () => time.nowMs };
  const prints = withoutPauses(media);
  return { detector: new StreamDetector({ store, blobs, work, clock, log, prints, references }), clock: time };
}

/** Sends the file up to a match with as many references; resolves with its matches. */
async function broadcast(ownerId: string, pcm: Buffer, most: number, picture?: string): Promise<MatchDetails[]> {
  const { log, media } = parts;
  const { detector, clock } = openDetector();
  const matches: MatchDetails[] = [];
  for (const { sample, flv, keyFrames } of await samplesOf(ownerId, pcm, picture)) {
    if (matches.length >= most) break;
    clock.nowMs = sample.startMs + 8_000;
    const checked = await detector.check(sample, flv);
    for (const match of checked.matches) {
      const deps = { witness: detector, decoder: media.decoder, log };
      matches.push(await witnessedWithin(deps, sample, match, keyFrames, 60_000));
    }
  }
  return matches;
}

test('finds a reference in a broadcast of another Page only, and no longer once it is removed', async () => {
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

test('key frames of a broadcast raise the confidence, and other pictures lower nothing', async () => {
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

test('what matches everything is reported a bounded number of times, also to an encoder that connects again', async () => {
  const tune = song(51, 20);
  const copied = await video('page-k', tune);
  await refer(copied, 'page-k', ['page-a', 'page-b']);
  const { data } = await videoOf(parts, copied);
  // As many references as there are Pages that claim the same sound.
  const copies = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const id = parts.ids.next();
      await parts.store.objects.commit([
        {
          op: 'put',
          object: { id, kind: 'video', createdMs: 1, updatedMs: 1, data: { ...data, ownerId: `page-k${at}` } },
        },
        ...referenceWrites(
          { videoId: id, ownerId: `page-k${at}`, policy: 'monitor', excluded: [], allowedPages: [] },
          Date.now(),
        ),
      ]);
      return { id, ownerId: `page-k${at}` };
    }),
  );
  await references.load();
  const listed = async () =>
    (await parts.store.objects.page(SYSTEM_EDGES.copyrightMatches, { limit: 1_000 })).entries.length;
  const before = await listed();
  const { detector, clock } = openDetector();
  const collected = await samplesOf('page-l', tune);
  const reported: number[] = [];
  for (const session of ['first', 'second', 'third', 'fourth']) {
    let count = 0;
    for (const { sample, flv } of collected) {
      clock.nowMs += 8_000;
      count += (await detector.check({ ...sample, session }, flv)).matches.length;
    }
    reported.push(count);
  }
  expect(reported).toEqual([INDEX.hitsMax, INDEX.hitsMax, DETECTOR.matchesPerHour - 2 * INDEX.hitsMax, 0]);
  expect((await listed()) - before).toBeLessThanOrEqual(DETECTOR.matchesPerHour);
  const upload = await video('page-l', tune);
  await print(upload);
  const found = (await videoOf(parts, upload)).data.copyrightCheck?.matches ?? [];
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThanOrEqual(DETECTOR.matchesPerHour);
  for (const { id, ownerId } of copies) await parts.store.objects.commit(referenceRemoval(ownerId, id));
  await parts.store.objects.commit(referenceRemoval('page-k', copied));
  await references.load();
});

test('a reference with content of an older one blocks nothing until the operator has decided', async () => {
  const tune = song(52, 30);
  const original = await video('page-m', tune);
  await refer(original, 'page-m', ['page-n']);
  const contested = await video('page-o', tune);
  await refer(contested, 'page-o', [], 'block');
  await references.load();
  const policies = async () =>
    (await broadcast('page-p', tune, 2)).map(({ reference_id, policy }) => [reference_id, policy]);
  expect(await policies()).toEqual(
    expect.arrayContaining([
      [original, 'monitor'],
      [contested, 'monitor'],
    ]),
  );
  // A Page that the older reference allows is not matched by its copy.
  expect(await broadcast('page-n', tune, 1)).toEqual([]);
  await videos.change(contested, (data) => ({ ...data, copyrightCheck: { status: 'complete', matches: [] } }));
  await references.load();
  expect(await policies()).toEqual(expect.arrayContaining([[contested, 'block']]));
});
