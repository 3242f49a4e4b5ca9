/** Recordings cut into parts: a machine that dies loses seconds, and joined parts equal the uncut recording. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { SliceList } from '../../src/bytes/slices.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import type { Blobs, ObjectStore } from '../../src/ports/index.js';
import { joinedStream, segmentName } from '../../src/recording/joined-stream.js';
import { RECORDER } from '../../src/recording/limits.js';
import { Recorder } from '../../src/recording/recorder.js';
import { SegmentUploader } from '../../src/recording/segment-uploader.js';
import { Segments } from '../../src/recording/segments.js';
import { FolderBlobs } from '../../src/store/blobs/folder-blobs.js';
import { handClock, memoryLog, realClock, temporaryFolderOfFile, until } from '../support/store-harness.js';
import { type SynthOptions, synthStream } from '../support/synth-stream.js';
import { tappedStream } from '../support/tapped-stream.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

interface Tag {
  readonly kind: string;
  readonly timestampMs: number;
  readonly payload: string;
}

function tagsOf(bytes: Uint8Array): Tag[] {
  const tags: Tag[] = [];
  const reader = new FlvFileReader({
    tag: (kind, timestampMs, payload) =>
      tags.push({ kind, timestampMs, payload: Buffer.from(payload.copy(0, payload.length)).toString('base64') }),
  });
  reader.push(bytes);
  return tags;
}

/** Records with a clock that follows the stream. */
async function recorded(name: string, inParts: boolean, options: SynthOptions): Promise<string> {
  const path = join(folder.path, name);
  mkdirSync(path);
  const clock = handClock();
  const recorder = new Recorder({ folder: path, clock, log: memoryLog(), inParts });
  const tap = recorder.open(tappedStream('1'), 'live');
  let lastMs: number | undefined;
  for (const { kind, timestampMs, payload } of synthStream(options)) {
    const stepMs = (timestampMs - (lastMs ?? timestampMs)) | 0;
    clock.advance(Math.max(0, stepMs));
    if (stepMs >= 0) lastMs = timestampMs;
    tap?.packet(kind, timestampMs, SliceList.of(payload));
  }
  tap?.close();
  await recorder.close();
  return join(path, '1');
}

async function joined(path: string, names = readdirSync(path).sort()): Promise<Tag[]> {
  const segments = names.map((name) => ({
    name,
    open: async () => Readable.from([readFileSync(join(path, name))]),
  }));
  return tagsOf(await buffer(joinedStream({ segments, copy: true, log: memoryLog() })));
}

const PICTURES = { durationMs: 45_000, videoKbps: 100, width: 320, height: 180, levelIdc: 12 };

test('a part ends at the next key frame after 2 s, and each starts with the decoder configuration', async () => {
  const path = await recorded('cut', true, { ...PICTURES, durationMs: 11_000, keyFrameIntervalMs: 2_800 });
  const parts = readdirSync(path).sort();
  expect(parts.map((name) => name.slice(-8))).toEqual(['0000.flv', '0001.flv', '0002.flv', '0003.flv']);
  for (const name of parts.slice(1)) {
    const [metadata, avc, aac, first] = tagsOf(readFileSync(join(path, name)));
    expect([metadata?.kind, avc?.kind, aac?.kind, first?.kind]).toEqual(['data', 'video', 'audio', 'video']);
    expect(Buffer.from(first?.payload ?? '', 'base64')[0]).toBe(0x17);
    expect((first?.timestampMs ?? 0) % 2_800).toBe(0);
  }
});

test('a part ends after 3 s without key frames, and after 2 s without video', async () => {
  const blind = await recorded('blind', true, { ...PICTURES, keyFrameIntervalMs: 60_000 });
  expect(readdirSync(blind).length).toBe(15);
  const sound = await recorded('sound', true, { ...PICTURES, edit: (m) => (m.kind === 'video' ? [] : [m]) });
  expect(readdirSync(sound).length).toBe(23);
});

test('a part that ended is closed at once, not with the next rounds of the writer', async () => {
  const path = join(folder.path, 'at-once');
  mkdirSync(path);
  const { flushMs } = RECORDER;
  Reflect.set(RECORDER, 'flushMs', 3_600_000);
  const [clock, closed] = [handClock(), [] as string[]];
  const uploader = { upload: (_id: string, name: string) => void closed.push(name.slice(-8)) };
  const options = { folder: path, clock, log: memoryLog(), inParts: true, uploader };
  const recorder = new Recorder(options);
  const tap = recorder.open(tappedStream('1'), 'live');
  let lastMs = 0;
  for (const { kind, timestampMs, payload } of synthStream({
    ...PICTURES,
    durationMs: 5_000,
    keyFrameIntervalMs: 2_000,
  })) {
    clock.advance(Math.max(0, timestampMs - lastMs));
    lastMs = Math.max(lastMs, timestampMs);
    tap?.packet(kind, timestampMs, SliceList.of(payload));
  }
  await until(async () => closed.length === 2);
  expect(closed.sort()).toEqual(['0000.flv', '0001.flv']);
  Reflect.set(RECORDER, 'flushMs', flushMs);
  tap?.close();
  await recorder.close();
});

test('joined parts equal the uncut recording in every timestamp and byte', async () => {
  const options = { ...PICTURES, fps: 29.97, startMs: 2 ** 32 - 20_000, keyFrameIntervalMs: 2_002 };
  const whole = await joined(await recorded('whole', false, options));
  const cut = await recorded('parts', true, options);
  expect(readdirSync(cut).length).toBeGreaterThan(3);
  expect(await joined(cut)).toEqual(whole);
});

test('a tag of which a power loss left the beginning, and zeros after it, is left out', async () => {
  const path = await recorded('zeros', false, { ...PICTURES, durationMs: 5_000 });
  const [name = ''] = readdirSync(path);
  const whole = await joined(path);
  const bytes = readFileSync(join(path, name));
  // Within the head of the last tag, and within its payload. The trailer of the file is its back pointer.
  const lastBytes = 11 + Buffer.from(tagsOf(bytes).at(-1)?.payload ?? '', 'base64').length;
  for (const kept of [1, 6, 40]) {
    const from = bytes.length - 4 - lastBytes + kept;
    writeFileSync(join(path, name), Buffer.concat([bytes.subarray(0, from), Buffer.alloc(4096)]));
    expect(await joined(path)).toEqual(whole.slice(0, -1));
  }
});

test('a lost part costs only its own duration', async () => {
  const cut = await recorded('lost', true, { ...PICTURES, keyFrameIntervalMs: 2_000 });
  const names = readdirSync(cut).sort();
  const endOf = (tags: Tag[]): number => Math.max(...tags.map(({ timestampMs }) => timestampMs));
  const whole = endOf(await joined(cut));
  const without = endOf(await joined(cut, names.toSpliced(1, 1)));
  expect(whole - without).toBeGreaterThan(1_900);
  expect(whole - without).toBeLessThan(2_100);
});

/** Object storage that can be unavailable or slow. */
async function harness(name: string) {
  const path = join(folder.path, name);
  mkdirSync(join(path, 'recordings'), { recursive: true });
  const kept = await FolderBlobs.open(join(path, 'blobs'), 0);
  const state = { away: false, running: 0, most: 0, hold: Promise.resolve() };
  const blobs: Blobs = Object.assign(Object.create(kept) as Blobs, {
    kind: 's3' as const,
    adopt: async (key: string, file: string) => {
      state.running++;
      state.most = Math.max(state.most, state.running);
      try {
        await state.hold;
        if (state.away) throw new Error('the storage is away');
        return await kept.adopt(key, file);
      } finally {
        state.running--;
      }
    },
  });
  const log = memoryLog();
  const store = {} as ObjectStore as never;
  const segments = new Segments({ folder: join(path, 'recordings'), blobs, store, clock: realClock, log });
  const uploader = new SegmentUploader({ segments, upload: (id, name) => segments.upload(id, name), blobs, log });
  const recorder = new Recorder({
    folder: join(path, 'recordings'),
    clock: realClock,
    log,
    uploader,
  });

  const left = (id: string): string[] => readdirSync(join(path, 'recordings', id));
  return { path, state, recorder, uploader, left, log, kept };
}

test('retries a failed segment upload once the storage is back', async () => {
  const { path, state, recorder, uploader, left, log } = await harness('away');
  state.away = true;
  recorder.open(tappedStream('5'), 'live')?.close();
  await recorder.close();
  await until(() => log.lines.some(({ message }) => message.includes('cannot upload a segment')));
  const [name = ''] = left('5');
  const old = new Date(Date.now() - RECORDER.quietMs - 1_000);
  utimesSync(join(path, 'recordings', '5', name), old, old);
  state.away = false;
  uploader.start(recorder);
  await until(() => left('5').length === 0);
  await uploader.close();
});

test('finds the other leftover segments when one of them disappears meanwhile', async () => {
  const { path, recorder, uploader, left, log } = await harness('gone');
  recorder.open(tappedStream('5'), 'live')?.close();
  await recorder.close();
  await until(() => left('5').length === 0);
  const recording = join(path, 'recordings', '5');
  mkdirSync(recording, { recursive: true });
  // Listed by its folder and not there any more, as a segment that another process has just uploaded.
  symlinkSync(join(path, 'gone'), join(recording, segmentName(1, 1, 1)));
  const later = join(recording, segmentName(2, 1, 1));
  writeFileSync(later, 'media');
  const old = new Date(Date.now() - RECORDER.quietMs - 1_000);
  utimesSync(later, old, old);
  uploader.start(recorder);
  await until(() => left('5').length === 1);
  await uploader.close();
  expect(log.lines.filter(({ message }) => message.includes('leftover'))).toEqual([]);
});

test('does not upload a segment that may still be written to', async () => {
  const { path, recorder, uploader, left } = await harness('young');
  const tap = recorder.open(tappedStream('6'), 'live');
  tap?.packet('audio', 0, SliceList.of(Uint8Array.of(0xaf, 1, 1)));
  const size = () => statSync(join(path, 'recordings', '6', left('6')[0] ?? '')).size;
  await until(() => existsSync(join(path, 'recordings', '6')) && left('6').length === 1 && size() > 20);
  const [name = ''] = left('6');
  const old = new Date(Date.now() - RECORDER.quietMs - 1_000);
  utimesSync(join(path, 'recordings', '6', name), old, old);
  uploader.start(recorder);
  await uploader.close();
  expect(left('6')).toEqual([name]);
  await recorder.close();
});

test('bounds concurrent uploads, and shutdown waits for the last ones', async () => {
  const { state, recorder, uploader, left } = await harness('many');
  let go: () => void = () => undefined;
  state.hold = new Promise((resolve) => {
    go = resolve;
  });
  for (let i = 0; i < 2 * RECORDER.parallelUploads; i++) recorder.open(tappedStream('7'), 'live')?.close();
  await recorder.close();
  await until(() => state.running === RECORDER.parallelUploads);
  const closing = uploader.close();
  go();
  await closing;
  expect(left('7')).toEqual([]);
  expect(state.most).toBe(RECORDER.parallelUploads);
});

test('a storage that never answers does not block shutdown', async () => {
  const { state, recorder, uploader, left } = await harness('never');
  state.hold = new Promise(() => undefined);
  recorder.open(tappedStream('8'), 'live')?.close();
  await recorder.close();
  await until(() => state.running === 1);
  await uploader.close(20);
  expect(left('8').length).toBe(1);
});
