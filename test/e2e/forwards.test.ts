/** Broadcasts are passed on to other ingests, over sockets and between processes. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portOf } from '../../src/lib/sockets.js';
import { V8_FLAGS } from '../../src/server/system/v8-flags.js';
import { Airlock } from '../support/airlock.js';
import { casesNow, inFull } from '../support/in-full.js';
import { Publisher, paced } from '../support/publisher.js';
import { accepts, RtmpTarget, rejectsConnect, type TakenMessage } from '../support/rtmp-target.js';
import { type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';
import { twoTracks } from '../support/two-tracks.js';

const KEY = 'a-secret-of-the-target';

let folder: string;
let airlock: Airlock;
let second: Airlock;
let rtmp: RtmpTarget;
const publishers: Publisher[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-test-'));
  const env = {
    AIRLOCK_LOG_LEVEL: 'debug',
    AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535',
    AIRLOCK_FORWARD_CA: join(folder, 'certs', 'ca.crt'),
  };
  // The second one has the authority of the first.
  airlock = await Airlock.start(env, folder);
  second = await Airlock.start({ ...env, AIRLOCK_CERTS_DIR: join(folder, 'certs') });
}, 60_000);
beforeEach(async () => {
  rtmp = await new RtmpTarget().listen();
});
afterEach(async () => {
  for (const publisher of publishers.splice(0)) publisher.cut();
  await rtmp.close();
});
afterAll(async () => {
  await Promise.all([airlock.stop(), second.stop()]);
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const media = (messages: readonly TakenMessage[]) => messages.filter(({ kind }) => kind !== 'data');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

async function forwarded(more: Record<string, string> = {}) {
  const live = await airlock.createLive();
  const params = { url: rtmp.url(), stream_key: KEY, name: 'Origin', ...more };
  const { id } = await airlock.post(`/${live.id}/forwards`, params);
  return { live, id };
}

/** Begins to send in real time. */
async function send(key: string, options: SynthOptions = {}) {
  const publisher = await Publisher.open(airlock, key);
  publishers.push(publisher);
  const stream: SynthMessage[] = [...synthStream({ durationMs: 60_000, ...options })];
  return { publisher, stream, sent: publisher.send(paced(stream)) };
}

const stateOf = (id: string, state: string) =>
  airlock.until(
    () => airlock.get(`/${id}`),
    (forward) => forward.state === state,
  );
/** Without the delivery of a busy machine. */
const codesOf = async (server: Airlock, id: string) =>
  (await server.errorsButPace(id)).map(({ error_code }) => error_code);

test('the process of forwards starts on demand, with the flags of its role', async () => {
  const { live } = await forwarded();
  const { sent } = await send(live.key, { durationMs: 1_000 });
  const started = () => airlock.log.split('\n').filter((line) => /"role":"forward".*role process starts/.test(line));
  await airlock.until(
    async () => started(),
    (lines) => lines.length > 0,
  );
  await sent;
  expect(started().map((line) => JSON.parse(line).flags)).toEqual([V8_FLAGS.forward]);
});

test('a target gets what arrives, from the first key frame on, byte by byte', async () => {
  const { live, id } = await forwarded();
  const { stream, sent } = await send(live.key, { durationMs: 4_000 });
  const state = await airlock.until(
    () => airlock.get(`/${id}`),
    (each) => each.state === 'sending' && each.sent_kbps > 0,
  );
  expect(state).toMatchObject({ attempts: 0, remote: `127.0.0.1:${rtmp.port}`, dropped_ms: 0 });
  await sent;
  const wanted = stream.filter(({ kind }) => kind !== 'data');
  await rtmp.until(() => media(rtmp.messages).length >= wanted.length);
  expect(rtmp.connections).toHaveLength(1);
  expect(media(rtmp.messages).map(({ bytes }) => text(bytes))).toEqual(wanted.map(({ payload }) => text(payload)));
  expect(await codesOf(airlock, live.id)).toEqual([]);
});

const TRACKS: readonly (readonly [string, boolean])[] = [
  ['the first one', false],
  ['both, if it says that it reads several', true],
];

test.each(casesNow(TRACKS, ([, takesTracks]) => takesTracks))(
  'a target gets of two tracks %s',
  async (_what, takesTracks) => {
    rtmp.takesTracks = takesTracks;
    const { live } = await forwarded();
    const publisher = await Publisher.open(airlock, live.key);
    publishers.push(publisher);
    const size = { durationMs: 4_000, videoKbps: 1_000 };
    const stream = [...twoTracks(size, size)];
    await publisher.send(paced(stream));
    const isFirst = ({ kind, payload }: SynthMessage): boolean => kind === 'audio' || (payload[0] ?? 0) < 0x80;
    const wanted = stream.filter((message) => message.kind !== 'data' && (takesTracks || isFirst(message)));
    expect(stream.length - wanted.length > 100).toBe(!takesTracks);
    await rtmp.until(() => media(rtmp.messages).length >= wanted.length);
    // The headers of both tracks come first.
    const found = media(rtmp.messages).map(({ bytes }) => text(bytes));
    expect([...found].sort()).toEqual(wanted.map(({ payload }) => text(payload)).sort());
    if (!takesTracks) expect(found).toEqual(wanted.map(({ payload }) => text(payload)));
  },
);

test('a refusal is kept in the words of the target, and the key is in no record, log or file in the clear', async () => {
  rtmp.manner = ({ session }, { requestId }) =>
    session.rejectPublish(requestId, 'NetStream.Publish.BadName', `Invalid stream key ${KEY}`);
  const { live, id } = await forwarded();
  await send(live.key);
  const refused = await stateOf(id, 'refused');
  expect(refused).toMatchObject({
    attempts: 1,
    last_status: { level: 'error', code: 'NetStream.Publish.BadName', description: 'Invalid stream key ***' },
    reason: 'the target says "Invalid stream key ***"',
  });
  const [record] = await airlock.until(
    () => airlock.errors(live.id, { error_code: '6511' }),
    (found) => found.length > 0,
  );
  expect(record).toMatchObject({ forward: id, severity: 'warning', source: 'service', count: 1 });
  expect(record?.description).toContain('A forward was refused, Origin: the target says "Invalid stream key ***"');
  expect((await airlock.get(`/${live.id}`, { fields: 'health_status' })).health_status).not.toBe('poor');
  const files = readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  const held = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('');
  expect(`${airlock.log}${held}`).not.toContain(KEY);
});

test.each([
  [
    'that rejects the connect',
    () => {
      rtmp.raw = rejectsConnect('[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ]');
    },
    {
      state: 'refused',
      reason: 'the target says "[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ]"',
      last_status: { code: 'NetConnection.Connect.Rejected' },
    },
    '6511',
  ],
  [
    'that closes the connection in place of an answer to the publish',
    () => {
      rtmp.manner = ({ socket }) => void socket.end();
    },
    { state: 'retrying', reason: 'the target closed the connection' },
    '6512',
  ],
] as const)('a target %s costs the broadcast one warning', async (_what, refuse, state, code) => {
  refuse();
  const { live, id } = await forwarded();
  await send(live.key);
  expect(await stateOf(id, state.state)).toMatchObject(state);
  await airlock.until(
    () => airlock.errors(live.id, { error_code: code }),
    (found) => found.length > 0,
  );
  expect(await codesOf(airlock, live.id)).toEqual([Number(code)]);
});

inFull('an encoder that returns is one stream to the target, over the same connection', async () => {
  const { live, id } = await forwarded();
  const { publisher } = await send(live.key);
  await rtmp.until(() => media(rtmp.messages).length > 100);
  publisher.cut();
  await stateOf(id, 'waiting');
  const before = rtmp.messages.length;
  await send(live.key);
  await rtmp.until(() => rtmp.messages.length > before + 100);
  expect(rtmp.connections).toHaveLength(1);
  for (const kind of ['audio', 'video'] as const) {
    const times = rtmp.messages.filter((each) => each.kind === kind).map(({ timestampMs }) => timestampMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }
});

test('a target that closes is tried again, and the loss is a record', async () => {
  const { live, id } = await forwarded();
  await send(live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  rtmp.connections[0]?.socket.destroy();
  await rtmp.until(() => rtmp.connections.length > 1 && media(rtmp.messages).length > 50);
  expect(await stateOf(id, 'sending')).toMatchObject({ attempts: 0 });
  const [record] = await airlock.until(
    () => airlock.errors(live.id, { error_code: '6512' }),
    (found) => found.length > 0,
  );
  expect(record).toMatchObject({ forward: id });
});

test('a forward process that is killed costs the broadcast nothing, and another one sends again', async () => {
  const { live, id } = await forwarded();
  await send(live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  process.kill(airlock.pidOf('forward'), 'SIGKILL');
  await rtmp.until(() => rtmp.connections.length > 1 && media(rtmp.messages).length > 50);
  await stateOf(id, 'sending');
  expect((await codesOf(airlock, live.id)).filter((code) => code < 6511 || code > 6513)).toEqual([]);
});

test('a forward of healthy streams names the error that holds it', async () => {
  const { live, id } = await forwarded({ when: 'healthy' });
  await send(live.key, { channels: 1 });
  expect(await stateOf(id, 'held')).toMatchObject({ held_by: [6304] });
  expect(rtmp.connections).toHaveLength(0);
});

inFull('a forward that is switched off, or removed, ends its stream', async () => {
  const { live, id } = await forwarded();
  await send(live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  await airlock.post(`/${id}`, { enabled: 'false' });
  await rtmp.until(() => rtmp.connections[0]?.unpublished === 'FCUnpublish');
  expect((await airlock.get(`/${id}`)).state).toBe('off');
  await airlock.post(`/${id}`, { enabled: 'true' });
  await rtmp.until(() => rtmp.connections.length === 2 && media(rtmp.messages).length > 10);
  await airlock.request('DELETE', `/${id}`);
  await rtmp.until(() => rtmp.connections[1]?.isClosed);
});

test('another Airlock finds nothing in a stream that conforms, over TLS', async () => {
  const { id: targetId, key } = await second.createLive();
  const url = `rtmps://localhost:${second.quickstart.rtmps_port}/live/`;
  const { live, id } = await forwarded({ url: url.replace('localhost', '127.0.0.1'), stream_key: key });
  const { sent } = await send(live.key, { durationMs: 8_000 });
  await stateOf(id, 'sending');
  await sent;
  const arrived = await second.until(
    () => second.get(`/${targetId}/input_streams`, { fields: 'stream_health' }),
    ({ data }) => data[0]?.stream_health?.stream_time_ms > 5_000,
  );
  expect(arrived.data[0].stream_health).toMatchObject({ video_width: 1280, audio_sample_rate: 48_000 });
  expect(await codesOf(second, targetId)).toEqual([]);
});

/** Another name of a port: what leads to it is not seen from outside. */
async function aliasOf(port: number): Promise<Server> {
  const server = createServer((socket) => {
    const there = connect(port, '127.0.0.1');
    socket.pipe(there).pipe(socket);
    for (const each of [socket, there]) each.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('a ring of two servers is refused with the reason within one round', async () => {
  const there = await second.createLive();
  const back = await airlock.createLive();
  const url = (port: number) => `rtmps://127.0.0.1:${port}/live`;
  await airlock.post(`/${back.id}/forwards`, {
    url: url(second.quickstart.rtmps_port),
    stream_key: there.key,
  });
  const { id } = await second.post(`/${there.id}/forwards`, {
    url: url(airlock.quickstart.rtmps_port),
    stream_key: airlock.quickstart.stream_key,
  });
  await send(back.key);
  const refused = await second.until(
    () => second.get(`/${id}`),
    (forward) => forward.state === 'refused',
  );
  expect(refused.reason).toContain('This stream has passed this server before');
});

inFull('the own ingest is refused as a target, and by another name within one round', async () => {
  const live = await airlock.createLive();
  const own = { url: `rtmps://localhost:${airlock.quickstart.rtmps_port}/live/`, stream_key: live.key };
  const { error } = await airlock.post(`/${live.id}/forwards`, own);
  expect(error.message).toContain('it is the ingest of this server itself');
  const alias = await aliasOf(airlock.quickstart.rtmps_port);
  const { id } = await airlock.post(`/${live.id}/forwards`, {
    url: `rtmps://127.0.0.1:${portOf(alias)}/live`,
    stream_key: airlock.quickstart.stream_key,
  });
  await send(live.key);
  expect((await stateOf(id, 'refused')).reason).toContain('This stream has passed this server before');
  alias.close();
});

inFull('a target that was away at the start is found', async () => {
  const { port } = rtmp;
  const url = rtmp.url();
  await rtmp.close();
  const { live, id } = await forwarded({ url });
  await send(live.key);
  expect(await stateOf(id, 'retrying')).toMatchObject({ reason: 'the target refused the connection' });
  rtmp = await new RtmpTarget().listen(port);
  rtmp.manner = accepts;
  await rtmp.until(() => media(rtmp.messages).length > 10);
});
