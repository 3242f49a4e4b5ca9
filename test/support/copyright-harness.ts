/** Videos with prints, references and broadcasts that are compared, with the real ffmpeg, store and blobs. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SliceList } from '../../src/bytes/slices.js';
import { FingerprintWorker } from '../../src/detection/fingerprint-job.js';
import { witnessedWithin } from '../../src/detection/live-pictures.js';
import type { PrintPort } from '../../src/detection/print-port.js';
import { ReferenceIndex } from '../../src/detection/reference-index.js';
import { type Collected, SoundTap } from '../../src/detection/sound-tap.js';
import { StreamDetector } from '../../src/detection/stream-detector.js';
import type { LiveVideoData, VideoData } from '../../src/lifecycle/documents.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { referenceWrites } from '../../src/ports/index.js';
import type { MatchDetails } from '../../src/spec/error-record.js';
import { FolderBlobs } from '../../src/store/blobs/folder-blobs.js';
import { WorkFolder } from '../../src/store/disk/work-folder.js';
import type { Job } from '../../src/vod/jobs/job.js';
import { VideoWriter } from '../../src/vod/videos/video-writer.js';
import { SOUND_RATE } from './sounds.js';
import { realClock } from './store-harness.js';
import { type VodParts, vodParts } from './vod-harness.js';

export let parts: VodParts;
export let blobs: FolderBlobs;
export let references: ReferenceIndex;
let work: WorkFolder;
export let videos: VideoWriter;
let worker: FingerprintWorker;
const PCM = ['-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1', '-i', 'pipe:0'];

/** For the tests of a file. */
export function openCopyright(): void {
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
}

function encode(pcm: Buffer, to: readonly string[], picture?: string): void {
  const video =
    picture === undefined ? [] : ['-f', 'lavfi', '-i', picture, '-c:v', 'libx264', '-preset', 'ultrafast', '-shortest'];
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
export async function video(ownerId: string, pcm: Buffer, picture?: string): Promise<string> {
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

export const print = (id: string) =>
  worker.run({ data: { type: 'fingerprint', subjectId: id, failures: 0 } } as Job, new AbortController().signal);

export async function refer(
  videoId: string,
  ownerId: string,
  allowedPages: readonly string[] = [],
  policy: 'monitor' | 'block' = 'monitor',
): Promise<void> {
  const reference = { videoId, ownerId, policy, excluded: [], allowedPages } as const;
  await parts.store.objects.commit(referenceWrites(reference, Date.now()));
  await print(videoId);
}

/** A live video, and what of a file that it sends its tap submits: each is taken before the next packet is sent. */
export async function send(
  ownerId: string,
  pcm: Buffer,
  take: (collected: Collected, tap: SoundTap) => Promise<void> | void,
  picture?: string,
): Promise<void> {
  const { store, ids, dataDir } = parts;
  const liveVideoId = ids.next();
  const at = { createdMs: Date.now(), updatedMs: Date.now() };
  const data = { ownerId, ownerKind: 'page', status: 'LIVE', videoId: liveVideoId } as unknown as LiveVideoData;
  await store.objects.commit([{ op: 'put', object: { id: liveVideoId, kind: 'live_video', ...at, data } }]);
  const path = join(dataDir, `${liveVideoId}.flv`);
  encode(pcm, ['-g', '20', '-f', 'flv', path], picture);
  const packets: Parameters<SoundTap['packet']>[] = [];
  new FlvFileReader({
    tag: (kind, stamp, payload) => void packets.push([kind, stamp, SliceList.of(payload.copy(0, payload.length))]),
  }).push(readFileSync(path));
  const collected: Collected[] = [];
  const submit = (each: Collected) => void collected.push(each);
  const tap = new SoundTap({ liveVideoId, session: liveVideoId, isOn: () => true, submit });
  for (const packet of packets) {
    tap.packet(...packet);
    for (const each of collected.splice(0)) await take(each, tap);
  }
}

/** Media time from the first frame of a sample to its last. */
export function lengthMsOf(flv: Uint8Array): number {
  const stamps: number[] = [];
  new FlvFileReader({ tag: (_kind, stamp, payload) => void (payload.byteAt(1) === 1 && stamps.push(stamp)) }).push(flv);
  return (stamps.at(-1) ?? 0) - (stamps[0] ?? 0);
}

/** The samples of a live video as if no reference were in it. */
export async function samplesOf(ownerId: string, pcm: Buffer): Promise<Collected[]> {
  const samples: Collected[] = [];
  await send(ownerId, pcm, (collected) => void samples.push(collected));
  return samples;
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
    kept: prints.kept,
    isAvailable: () => prints.isAvailable(),
    print: (request) => prints.print(request),
    clip: (request) => prints.clip(request),
    pictures: (request) => prints.pictures(request),
    sample: async (flv) => {
      const items = made.get(flv) ?? make(flv);
      made.set(flv, items);
      return { items: await items, tookMs: 9, isStarted: false };
    },
  };
}

/** The time of `clock` follows the stream. */
export function openDetector(): { detector: StreamDetector; clock: { nowMs: number } } {
  const { store, media, log } = parts;
  const time = { nowMs: 0 };
  const clock = { ...realClock, monotonicMs: () => time.nowMs };
  const prints = withoutPauses(media);
  return { detector: new StreamDetector({ store, blobs, work, clock, log, prints, references }), clock: time };
}

/** Sends the file up to a match with as many references; resolves with its matches. */
export async function broadcast(ownerId: string, pcm: Buffer, most: number, picture?: string): Promise<MatchDetails[]> {
  const { log, media } = parts;
  const { detector, clock } = openDetector();
  const matches: MatchDetails[] = [];
  const take = async ({ sample, flv, keyFrames }: Collected, tap: SoundTap) => {
    if (matches.length >= most) return;
    clock.nowMs = sample.startMs + 8_000;
    const checked = await detector.check(sample, flv);
    if (checked.wantedToMs !== undefined) tap.want(checked.wantedToMs);
    for (const match of checked.matches) {
      const deps = { witness: detector, decoder: media.decoder, log };
      matches.push(await witnessedWithin(deps, sample, match, keyFrames, 60_000));
    }
  };
  await send(ownerId, pcm, take, picture);
  return matches;
}
