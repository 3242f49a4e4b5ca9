import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { SliceList } from '../../src/bytes/slices.js';
import { diskReserve } from '../../src/config/settings/values.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { ALIGNED_BYTES, BLOCK_BYTES } from '../../src/recording/aligned-buffers.js';
import { RECORDER } from '../../src/recording/limits.js';
import { Recorder, type RecorderOptions } from '../../src/recording/recorder.js';
import type { RecordingDisk } from '../../src/recording/segment-disk.js';
import { FreeSpace } from '../../src/store/disk/free-space.js';
import { startChild } from '../support/child-process.js';
import { ffprobe, makeMedia } from '../support/media-files.js';
import { handClock, memoryLog, temporaryFolderOfFile } from '../support/store-harness.js';
import { synthStream } from '../support/synth-stream.js';
import { type ToldStream, tappedStream } from '../support/tapped-stream.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

function recorderIn(name: string, over: Partial<RecorderOptions> = {}): { recorder: Recorder; path: string } {
  const path = join(folder.path, name);
  mkdirSync(path);
  return {
    recorder: new Recorder({ folder: path, clock: handClock(), log: memoryLog(), ...over }),
    path,
  };
}

interface Tag {
  readonly kind: string;
  readonly timestampMs: number;
  readonly payload: Uint8Array;
}

function tagsOf(path: string): Tag[] {
  const tags: Tag[] = [];
  const reader = new FlvFileReader({
    tag: (kind, timestampMs, payload) => tags.push({ kind, timestampMs, payload: payload.copy(0, payload.length) }),
  });
  reader.push(readFileSync(path));
  expect(reader.end()).toBe(false);
  expect(reader.wrongBackPointers).toBe(0);
  return tags;
}

/** Sliced like RTMP chunks, with foreign bytes around each slice. */
function sliced(payload: Uint8Array): SliceList {
  const list = new SliceList();
  for (let at = 0; at < payload.length; at += 1_000) {
    const piece = payload.subarray(at, at + 1_000);
    const buffer = new Uint8Array(piece.length + 7).fill(0xee);
    buffer.set(piece, 3);
    list.push(buffer, 3, 3 + piece.length);
  }
  return list;
}

const only = (path: string): string => join(path, readdirSync(path)[0] ?? 'nothing');

test('the segment equals the stream tag by tag, with metadata in file form', async () => {
  const { recorder, path } = recorderIn('whole');
  const tap = recorder.open(tappedStream('77'), 'live');
  const sent: Tag[] = [];
  for (const { kind, timestampMs, payload } of synthStream({ durationMs: 2_000, startMs: 2 ** 32 - 1_000 })) {
    tap?.packet(kind, timestampMs, sliced(payload));
    sent.push({ kind, timestampMs, payload });
  }
  expect(recorder.isRecording('77')).toBe(true);
  tap?.close();
  await recorder.close();
  expect(recorder.isRecording('77')).toBe(false);
  const kept = tagsOf(only(join(path, '77')));
  expect(kept.length).toBe(sent.length);
  expect(Buffer.from(kept[0]?.payload ?? []).toString('latin1', 3, 13)).toBe('onMetaData');
  expect(kept.slice(1).map(({ payload }) => Buffer.from(payload).toString('base64'))).toEqual(
    sent.slice(1).map(({ payload }) => Buffer.from(payload).toString('base64')),
  );
  expect(kept.map(({ kind, timestampMs }) => `${kind} ${timestampMs}`)).toEqual(
    sent.map(({ kind, timestampMs }) => `${kind} ${timestampMs}`),
  );
});

test('each connection creates its own segment; a preview creates none', async () => {
  const { recorder, path } = recorderIn('segments');
  expect(recorder.open(tappedStream('5'), 'publish')).toBeUndefined();
  recorder.open(tappedStream('5'), 'live')?.close();
  recorder.open(tappedStream('5'), 'live')?.close();
  await recorder.close();
  expect(readdirSync(join(path, '5')).length).toBe(2);
});

/** A disk of 1,000 bytes. */
const free = (freeBytes: number) => ({ freeBytes, diskBytes: 1_000 });

const header = (kind: 'audio' | 'video') => SliceList.of(Uint8Array.of(kind === 'audio' ? 0xaf : 0x17, 0, 1));
const frame = (isKey: boolean) => SliceList.of(Uint8Array.of(isKey ? 0x17 : 0x27, 1, 0, 0, 0, 9));

test('recordings stop below the reserve and resume at a key frame a fifth above it', async () => {
  const { recorder, path } = recorderIn('full');
  const streams = ['1', '2', '3'].map((id) => tappedStream(id)) as [ToldStream, ToldStream, ToldStream];
  const tap = recorder.open(streams[0], 'live');
  tap?.packet('video', 0, header('video'));
  tap?.packet('audio', 0, header('audio'));
  tap?.packet('video', 0, frame(true));
  recorder.freeSpace.take(free(99));
  expect(tap?.isIdle).toBe(true);
  tap?.packet('video', 33, frame(true));
  const late = recorder.open(streams[1], 'live');
  late?.packet('video', 0, header('video'));
  expect(recorder.counts).toEqual({ paused: 2, stops: 2 });
  recorder.freeSpace.take(free(119));
  expect(recorder.open(streams[2], 'live')?.isIdle).toBe(true);
  recorder.freeSpace.take(free(120));
  expect(recorder.counts).toEqual({ paused: 0, stops: 3 });
  expect([tap?.isIdle, late?.isIdle]).toEqual([false, false]);
  tap?.packet('video', 66, frame(false));
  tap?.packet('video', 100, frame(true));
  tap?.packet('video', 133, frame(false));
  late?.packet('video', 40, frame(true));
  await recorder.close();
  const reason = 'less than the reserve of 10% of the disk is free';
  expect(streams.map(({ notes }) => notes)).toEqual(Array(3).fill([{ code: 6505, observed: reason }]));
  const [before = '', after = '', ...more] = readdirSync(join(path, '1')).sort();
  expect(more).toEqual([]);
  const shown = (name: string) =>
    tagsOf(join(path, '1', name)).map(({ kind, timestampMs }) => `${kind} ${timestampMs}`);
  expect(shown(before)).toEqual(['video 0', 'audio 0', 'video 0']);
  expect(shown(after)).toEqual(['video 100', 'audio 100', 'video 100', 'video 133']);
  expect(tagsOf(only(join(path, '2'))).map(({ timestampMs }) => timestampMs)).toEqual([40, 40]);
  expect(existsSync(join(path, '3'))).toBe(false);
  expect(recorder.counts.paused).toBe(0);
});

test.each([
  ['10%', 1_000e9, 100e9, 120e9],
  ['90%', 1_000e9, 900e9, 950e9],
  ['20GB', 1_000e9, 20e9, 24e9],
  ['512MiB', 1e9, 512 * 2 ** 20, 512 * 2 ** 20 * 1.2],
])('a reserve of %s on %d bytes: recording stops below %d and resumes at %d', (text, diskBytes, stops, resumes) => {
  const space = new FreeSpace({ folder: folder.path, reserve: diskReserve().parse(text) });
  const isLowWith = (freeBytes: number) => {
    space.take({ freeBytes, diskBytes });
    return space.isLow;
  };
  const mark = Math.min(resumes, (stops + diskBytes) / 2);
  expect([stops, stops - 1, mark - 1, mark, stops].map(isLowWith)).toEqual([false, true, true, false, false]);
});

test('reads the free space of a real disk', async () => {
  const at = (text: string) => new FreeSpace({ folder: folder.path, reserve: diskReserve().parse(text) });
  const [small, huge] = [at('100MB'), at('999999TB')];
  await Promise.all([small.start(), huge.start()]);
  small.stop();
  huge.stop();
  expect([small.isLow, huge.isLow]).toEqual([false, true]);
});

test('a failed write ends the recording with a reason', async () => {
  const reason = await new Promise<string>((resolve) => {
    const { recorder, path } = recorderIn('refused');
    writeFileSync(join(path, '9'), 'a file where the folder should be');
    recorder.open({ ...tappedStream('9'), note: (_code, why) => resolve(why) }, 'live');
  });
  expect(reason).toMatch(/disk refused the recording: .*(EEXIST|ENOTDIR)/);
});

test('a slow disk costs frames up to the next key frame, not memory', async () => {
  const { recorder, path } = recorderIn('slow');
  const stream = tappedStream('1');
  const tap = recorder.open(stream, 'live');
  const frame = (isKey: boolean) => {
    const bytes = new Uint8Array(1_000_000);
    bytes[0] = isKey ? 0x17 : 0x27;
    bytes[1] = 1;
    return SliceList.of(bytes);
  };
  // Within one event-loop turn, so that no write can complete.
  for (let at = 0; at < 40; at++) tap?.packet('video', at * 33, frame(at === 0));
  tap?.packet('video', 40 * 33, frame(true));
  expect(stream.notes.map(({ observed }) => observed)).toEqual(['the disk cannot keep up']);
  expect(tap?.segment?.waitingBytes ?? 0).toBeLessThan(RECORDER.queueBytes + 2_000_000);
  while ((tap?.segment?.waitingBytes ?? 0) >= BLOCK_BYTES) await new Promise((resolve) => setImmediate(resolve));
  tap?.packet('video', 50 * 33, frame(false));
  tap?.packet('video', 51 * 33, frame(true));
  tap?.packet('video', 52 * 33, frame(false));
  tap?.close();
  await recorder.close();
  const times = tagsOf(only(join(path, '1'))).map((tag) => tag.timestampMs / 33);
  expect(times.slice(-2)).toEqual([51, 52]);
  expect(times.length).toBeLessThan(25);
  expect(times).not.toContain(40);
  expect(times).not.toContain(50);
});

test('after kill -9 the recording plays to the last second', async () => {
  const source = makeMedia(join(folder.path, 'source.flv'), {
    seconds: 8,
    options: ['-flvflags', 'no_duration_filesize'],
  });
  const child = startChild('recording-child.ts', join(folder.path, 'killed'), source);
  await child.line((line) => Number(line) >= 3_000);
  await child.kill('SIGKILL');
  const fedMs = Number(child.lines.at(-1));
  const segment = only(join(folder.path, 'killed', '1'));
  const { streams } = ffprobe(segment, ['-count_frames']);
  const frames = Number(streams.find((stream) => stream.codec_type === 'video')?.nb_read_frames);
  expect(frames / 30).toBeGreaterThan(fedMs / 1000 - 1);
  expect(streams.length).toBe(2);
});

test('writes every recording in each round', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
  try {
    const { recorder, path } = recorderIn('many');
    const ids = Array.from({ length: 12 }, (_, n) => String(500 + n));
    const taps = ids.map((id) => recorder.open(tappedStream(id), 'live'));
    const sizes = (): number[] => ids.map((id) => statSync(only(join(path, id))).size);
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    for (const id of ids) {
      while (!existsSync(join(path, id)) || readdirSync(join(path, id)).length === 0) await turn();
    }
    while (sizes().some((size) => size < 9)) {
      jest.advanceTimersByTime(RECORDER.flushMs);
      await turn();
    }
    for (const tap of taps) tap?.packet('audio', 0, SliceList.of(new Uint8Array(100).fill(0xaf)));
    // One round for all files.
    jest.advanceTimersByTime(RECORDER.flushMs);
    while (sizes().some((size) => size < 100)) await turn();
    let isClosed = false;
    const closing = recorder.close().then(() => {
      isClosed = true;
    });
    while (!isClosed) {
      jest.advanceTimersByTime(RECORDER.flushMs);
      await turn();
    }
    await closing;
    expect(sizes()).toEqual(ids.map(() => 9 + 15 + 100 + 4));
  } finally {
    jest.useRealTimers();
  }
});

test('a recording that is being written when files are synced is synced when the write ends', () => {
  jest.useFakeTimers();
  let endWrite = (): void => undefined;
  let synced = 0;
  const disk: RecordingDisk = {
    buffers: { isAligned: false, take: () => new Uint8Array(ALIGNED_BYTES), release: () => undefined },
    createFolder: (_path, done) => done(null),
    file: () => ({
      blockBytes: 1,
      create: (done) => done(null),
      write: (pieces, _position, _throughCache, done) => {
        const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
        endWrite = () => done(null, bytes);
      },
      sync: (done) => {
        synced += 1;
        done(null);
      },
      close: (done) => done(),
      closeNow: () => undefined,
    }),
  };
  try {
    const recorder = new Recorder({ folder: 'none', clock: handClock(), log: memoryLog(), disk });
    const tap = recorder.open(tappedStream('1'), 'live');
    const frame = SliceList.of(new Uint8Array(100).fill(0x27));
    tap?.packet('video', 0, frame);
    jest.advanceTimersByTime(1_000);
    endWrite();
    jest.advanceTimersByTime(3_400);
    tap?.packet('video', 4_400, frame);
    // The write begins half a second later, just before the files are synced, and takes long.
    jest.advanceTimersByTime(1_000);
    expect(synced).toBe(0);
    endWrite();
    expect(synced).toBe(1);
  } finally {
    jest.useRealTimers();
  }
});
