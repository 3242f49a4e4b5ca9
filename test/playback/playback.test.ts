/** Relay, child and viewers together, with a real child and real sockets and a synthetic stream. */

import { readFileSync } from 'node:fs';
import { inFull } from '../support/in-full.js';
import { FlvViewer, type PlaybackHarness, playbackHarness } from '../support/playback-harness.js';
import { until } from '../support/store-harness.js';
import { type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';

let harness: PlaybackHarness;
let lastId = 0;
const newId = (): string => String(++lastId);
beforeAll(async () => {
  harness = await playbackHarness();
});
afterAll(() => harness.close());

/** Split into seconds. */
function seconds(count: number, options: SynthOptions = {}): SynthMessage[][] {
  const pieces: SynthMessage[][] = Array.from({ length: count }, () => []);
  const startMs = options.startMs ?? 0;
  for (const message of synthStream({ durationMs: count * 1_000, ...options })) {
    pieces[Math.min(count - 1, Math.floor(((message.timestampMs - startMs) >>> 0) / 1_000))]?.push(message);
  }
  return pieces;
}

const isFrame = ({ kind, payload }: SynthMessage): boolean => kind === 'video' && payload[1] === 1;
const times = (messages: readonly { timestampMs: number }[]): number[] => messages.map((each) => each.timestampMs);

test('the first viewer gets the stream from the next key frame on, from time 0; the relay stops after it leaves', async () => {
  const id = newId();
  const stream = harness.begin(id);
  const parts = seconds(4);
  stream.send(parts[0]!);
  expect(stream.taps.size).toBe(0);
  const viewer = new FlvViewer(harness.flvUrl(id));
  await until(() => stream.taps.size === 1);
  stream.send(parts[1]!);
  await viewer.until(() => viewer.status === 200);
  expect(viewer.frames).toEqual([]);
  stream.send(parts[2]!);
  stream.send(parts[3]!);
  const sent = [...parts[2]!, ...parts[3]!].filter(isFrame);
  await viewer.until(() => viewer.frames.length === sent.length);
  expect(viewer.tags.slice(0, 3).map(({ kind, payload }) => `${kind} ${payload[1]}`)).toEqual([
    'data 0',
    'video 0',
    'audio 0',
  ]);
  expect(viewer.frames.map(({ payload }) => Buffer.from(payload).toString('base64'))).toEqual(
    sent.map(({ payload }) => Buffer.from(payload).toString('base64')),
  );
  expect(times(viewer.frames)).toEqual(times(sent).map((ms) => ms - sent[0]!.timestampMs));
  expect(harness.playback.viewers(id)).toEqual({ now: 1, peak: 1 });
  viewer.leave();
  await until(() => harness.playback.viewers(id).now === 0);
  // On a slow machine the same count is reported again.
  const told = harness.told.filter((each) => each.id === id).map(({ count }) => count);
  expect(told.filter((count, index) => count !== told[index - 1])).toEqual([1, 0]);
  harness.skip(5_000);
  await until(() => stream.taps.size === 0);
  expect(harness.playback.relayed).toEqual([]);
});

test('a later viewer starts with the last key frame', async () => {
  const id = newId();
  const stream = harness.begin(id);
  const first = new FlvViewer(harness.flvUrl(id));
  await until(() => stream.taps.size === 1);
  const parts = seconds(3);
  stream.send(parts[0]!);
  await first.until(() => first.frames.length === 30);
  stream.send(parts[1]!);
  stream.send(parts[2]!);
  await first.until(() => first.frames.length === 90);
  const second = new FlvViewer(harness.flvUrl(id));
  await second.until(() => second.frames.length === 30);
  expect(second.frames[0]!.payload[0]).toBe(0x17);
  expect(second.frames[0]!.timestampMs).toBe(2_000);
  expect(harness.playback.viewers(id)).toEqual({ now: 2, peak: 2 });
  first.leave();
  second.leave();
});

test('answers 404 for a stream that is not live here', async () => {
  const response = await fetch(harness.flvUrl('999'));
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('not live') } });
});

test('when the child is killed, viewers get every frame once and the stream is not delayed', async () => {
  const id = newId();
  const stream = harness.begin(id);
  const viewer = new FlvViewer(harness.flvUrl(id));
  await until(() => stream.taps.size === 1);
  const parts = seconds(7);
  stream.send(parts[0]!);
  await viewer.until(() => viewer.frames.length === 30);
  const before = harness.childPid();
  process.kill(before, 'SIGKILL');
  stream.send(parts[1]!);
  // The kept packets reach back to the last key frame, so no frame is missing.
  await viewer.until(() => viewer.frames.length === 60);
  expect(harness.childPid()).not.toBe(before);
  for (const part of parts.slice(2)) stream.send(part);
  const sent = parts.flat();
  await viewer.until(() => viewer.frames.length >= sent.filter(isFrame).length);
  expect(times(viewer.frames)).toEqual(times(sent.filter(isFrame)));
  expect(times(viewer.sounds)).toEqual(times(sent.filter(({ kind, payload }) => kind === 'audio' && payload[1] === 1)));
  expect(viewer.ended).toBe(false);
  viewer.leave();
});

inFull(
  'when the child hangs, the relay drops its connection, the stream continues, and a new child takes over',
  async () => {
    const id = newId();
    const stream = harness.begin(id);
    const viewer = new FlvViewer(harness.flvUrl(id));
    await until(() => stream.taps.size === 1);
    stream.send(seconds(1)[0]!);
    await viewer.until(() => viewer.frames.length === 30);
    const before = harness.childPid();
    process.kill(before, 'SIGSTOP');
    // Far more than the socket buffers hold.
    for (const part of seconds(60, { startMs: 1_000, videoKbps: 6_000 })) stream.send(part);
    await until(() => harness.log.lines.some(({ fields }) => JSON.stringify(fields).includes('does not read')));
    await until(() => harness.childPid() !== before);
    for (const part of seconds(4, { startMs: 61_000 })) stream.send(part);
    await viewer.until(() => viewer.frames.at(-1)!.timestampMs > 63_000);
    viewer.leave();
  },
);

test('a viewer that does not read is dropped; other viewers and the stream are not delayed', async () => {
  const id = newId();
  const stream = harness.begin(id);
  const idle = new FlvViewer(harness.flvUrl(id));
  const busy = new FlvViewer(harness.flvUrl(id));
  await until(() => harness.playback.viewers(id).now === 2);
  stream.send(seconds(1)[0]!);
  await idle.until(() => idle.frames.length === 30);
  idle.stopReading();
  let startMs = 1_000;
  while (harness.playback.viewers(id).now === 2) {
    for (const part of seconds(4, { startMs, videoKbps: 8_000 })) stream.send(part);
    startMs += 4_000;
    await busy.until(() => busy.frames.at(-1)!.timestampMs >= startMs - 100);
  }
  await until(() => harness.playback.viewers(id).now === 1);
  expect(busy.ended).toBe(false);
  busy.leave();
  // A socket that is not read does not notice its end, and keeps the process.
  idle.leave();
});

test('a viewer continues on the same timeline when the encoder reconnects', async () => {
  const id = newId();
  const first = harness.begin(id);
  const viewer = new FlvViewer(harness.flvUrl(id));
  await until(() => first.taps.size === 1);
  for (const part of seconds(2, { startMs: 500_000 })) first.send(part);
  await viewer.until(() => viewer.frames.length === 60);
  harness.stop(id);
  const second = harness.begin(id);
  expect(second.taps.size).toBe(1);
  for (const part of seconds(2)) second.send(part);
  await viewer.until(() => viewer.frames.length === 120);
  const at = times(viewer.frames);
  expect([...at].sort((a, b) => a - b)).toEqual(at);
  expect(at[60]! - at[59]!).toBeLessThan(100);
  harness.playback.ended(id);
  await viewer.until(() => viewer.ended);
  expect(harness.playback.viewers(id)).toEqual({ now: 0, peak: 0 });
  // The process that receives the stream does not know yet.
  expect((await fetch(harness.flvUrl(id))).status).toBe(404);
});

test('disconnects viewers when no more data arrives', async () => {
  const id = newId();
  const stream = harness.begin(id);
  const viewer = new FlvViewer(harness.flvUrl(id));
  await until(() => stream.taps.size === 1);
  stream.send(seconds(1)[0]!);
  await viewer.until(() => viewer.frames.length === 30);
  harness.stop(id);
  harness.skip(25_000);
  await viewer.until(() => viewer.ended);
});

test('rewrites H.264 and AAC from Enhanced RTMP framing to the framing that all players read', async () => {
  const id = newId();
  const stream = harness.begin(id);
  const viewer = new FlvViewer(harness.flvUrl(id));
  await until(() => stream.taps.size === 1);
  const [plain] = seconds(1);
  stream.send(seconds(1, { enhanced: true })[0]!);
  await viewer.until(() => viewer.frames.length === 30 && viewer.sounds.length > 0);
  const bytes = (messages: readonly { payload: Uint8Array }[]) =>
    messages.map(({ payload }) => Buffer.from(payload).toString('base64'));
  expect(bytes(viewer.frames)).toEqual(bytes(plain!.filter(isFrame)));
  expect(viewer.sounds[0]!.payload.subarray(0, 2)).toEqual(Uint8Array.from([0xaf, 1]));
  viewer.leave();
});

test('keeps packets from node-media-server that it cannot handle', async () => {
  const id = newId();
  const stream = harness.begin(id);
  const viewer = new FlvViewer(harness.flvUrl(id));
  await until(() => stream.taps.size === 1);
  const before = harness.childPid();
  const odd = (kind: SynthMessage['kind'], ...payload: number[]): SynthMessage => ({
    kind,
    timestampMs: 0,
    payload: Uint8Array.from(payload),
  });
  const [good, more] = seconds(2);
  stream.send([
    odd('video'),
    odd('video', 0x17),
    odd('audio'),
    odd('audio', 0xaf),
    odd('data', 0x11, 0x03, 0x00),
    odd('data', 0x02, 0xff, 0xff),
    odd('data', 0x02, 0x00, 0x0a, ...Buffer.from('onMetaData')),
    odd('video', 0x96, 0x61, 0x76, 0x63, 0x31, 0x00),
    odd('video', 0x90, 0x76, 0x76, 0x63, 0x31, 0x00),
    ...good!,
    odd('video', 0x27),
    odd('audio'),
    odd('data', 0x02, 0xff),
    ...more!,
  ]);
  await viewer.until(() => viewer.frames.length === 60);
  expect(harness.childPid()).toBe(before);
  viewer.leave();
});

test('relays audio only, video only, and timestamps beyond 24 bits', async () => {
  const [quiet, loud, late] = [newId(), newId(), newId()];
  const streams = [quiet, loud, late].map((id) => harness.begin(id));
  const viewers = [quiet, loud, late].map((id) => new FlvViewer(harness.flvUrl(id)));
  await until(() => streams.every((stream) => stream.taps.size === 1));
  const [first, ...rest] = seconds(5, { audio: false, keyFrameIntervalMs: 2_500 });
  streams[0]!.send(first!);
  const [firstSound, ...sound] = [...seconds(2, { video: false }), ...seconds(3, { video: false, startMs: 2_000 })];
  streams[1]!.send(firstSound!);
  for (const part of seconds(2)) streams[2]!.send(part);
  await viewers[0]!.until(() => viewers[0]!.frames.length === 30);
  for (const part of rest) streams[0]!.send(part);
  for (const part of sound.slice(0, 1)) streams[1]!.send(part);
  await viewers[1]!.until(() => viewers[1]!.sounds.length > 0);
  for (const part of sound.slice(1)) streams[1]!.send(part);
  await viewers[2]!.until(() => viewers[2]!.frames.length === 60);
  // A jump of the encoder's clock is hidden from players.
  for (const part of seconds(4, { startMs: 2 ** 24 - 2_000 })) streams[2]!.send(part);
  await viewers[0]!.until(() => viewers[0]!.frames.length === 150);
  await viewers[1]!.until(() => viewers[1]!.sounds.length > 100);
  await viewers[2]!.until(() => viewers[2]!.frames.length === 180);
  expect(times(viewers[2]!.frames).at(-1)).toBeLessThan(6_100);
  const metadata = viewers[0]!.tags.filter(({ kind }) => kind === 'data').at(-1)!;
  const at = Buffer.from(metadata.payload).indexOf('hasAudio') + 'hasAudio'.length;
  expect([...metadata.payload.subarray(at, at + 2)]).toEqual([1, 0]);
  for (const viewer of viewers) viewer.leave();
});

test('exposes no secret to other processes and listens on loopback only', () => {
  const pid = harness.childPid();
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  expect(args).toEqual(['airlock-playback']);
  const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  expect(env.map((each) => each.split('=')[0]).filter((name) => !name?.startsWith('NODE_CHANNEL'))).toEqual([]);
  const listening = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === '0A')
    .map(([, local = '']) => local);
  const ports = harness.playback.childPorts.map((port) => port.toString(16).toUpperCase().padStart(4, '0'));
  expect(ports).toHaveLength(2);
  for (const port of ports) expect(listening).toContain(`0100007F:${port}`);
});
