/** `airlock replay` and `airlock fixtures` against a server, over RTMPS with the certificate checked. */

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { callAdmin } from '../../src/cli/admin/client.js';
import { loadConfig } from '../../src/config/load.js';
import { Airlock, MAIN } from '../support/airlock.js';
import { type CliRun, runCli } from '../support/cli.js';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { inFull } from '../support/in-full.js';
import { makeMedia } from '../support/media-files.js';
import { synthStream } from '../support/synth-stream.js';

const folder = folderOfFile('airlock-replay-');
const settings = { AIRLOCK_RECORD: 'off', AIRLOCK_LOG_LEVEL: 'silent' };
let airlock: Airlock;
let page = '';
type Row = Record<string, unknown>;

const adminIn = async (place: string, action: string, input: object): Promise<Row> => {
  const { config } = loadConfig({ env: { AIRLOCK_DATA_DIR: join(place, 'data') } });
  return (await callAdmin(config, action, { ...input }, () => Promise.reject(new Error('no store')))) as Row;
};
const admin = (action: string, input: object): Promise<Row> => adminIn(folder, action, input);
const newLive = async () => admin('live.create', { owner: page });
const put = (name: string, content: Uint8Array | string) => writeFileSync(join(folder, name), content);
const replay = (...args: string[]): Promise<CliRun> => runCli(['replay', ...args], { cwd: folder });
/** As fast as the server accepts it. */
const replayTo = (live: Row, ...args: string[]): Promise<CliRun> =>
  replay(...args, '--to', String(live.secure_stream_url), '--speed', 'max');
/** The stored codes, once those that are due are among them: a record is reported to the encoder before it is stored. */
const keptCodes = async (id: unknown, ...due: readonly number[]): Promise<number[]> => {
  for (;;) {
    const { errors } = await admin('live.errors', { id });
    const codes = (errors as { error_code: number }[]).map((record) => record.error_code).sort();
    if (due.every((code) => codes.includes(code))) return codes;
  }
};

beforeAll(async () => {
  put('clean.flv', flvFile(synthStream({ durationMs: 6000, width: 640, height: 360, videoKbps: 600 })));
  put(
    'gap.flv',
    flvFile(synthStream({ durationMs: 8000, width: 640, height: 360, videoKbps: 600, keyFrameIntervalMs: 6000 })),
  );
  put('mono.flv', flvFile(synthStream({ durationMs: 1000, width: 640, height: 360, channels: 1 })));
  airlock = await Airlock.start({ ...settings, AIRLOCK_RECONNECT_GRACE_S: '0' }, folder);
  page = String((await admin('owner.add', { kind: 'page', name: 'P' })).id);
});
afterAll(async () => {
  await airlock.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a clean recording gets no status message but Publish.Start', async () => {
  const live = await newLive();
  const run = await replay('clean.flv', '--to', String(live.secure_stream_url), '--speed', 'max');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout).toMatch(/status NetStream\.Publish\.Start/);
  expect(run.stdout).toMatch(/clean\.flv: published; no errors reported/);
});

test('an error in a file is an error in its replay, even for a rule of severity warning', async () => {
  put('narrow.flv', flvFile(synthStream({ durationMs: 1000, width: 640, height: 480, videoKbps: 600 })));
  const offline = await runCli(['validate', 'narrow.flv'], { cwd: folder });
  const live = await newLive();
  const online = await replay('narrow.flv', '--to', String(live.secure_stream_url), '--speed', 'max');
  expect([offline.code, online.code]).toEqual([1, 1]);
  expect(offline.stdout).toMatch(/^narrow\.flv:0:00:00\.\d{3} {2}error {2}6207 {2}/m);
  expect(online.stdout).toMatch(/^ *narrow\.flv: 1 error, 1 warning/m);
});

test('reports the status messages as recorded and compares expectations', async () => {
  const live = await newLive();
  const to = String(live.secure_stream_url);
  put('expected.json', '[6208]');
  const run = await replay('gap.flv', '--to', to, '--speed', 'max', '--format', 'json', '--expect', 'expected.json');
  expect(run.code).toBe(0);
  const report = JSON.parse(run.stdout);
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/validate.schema.json'), 'utf8'));
  const check = new Ajv({ strict: false }).compile(schema);
  expect(check(report) || check.errors).toBe(true);
  const [file] = report.files;
  expect(file.expectation).toEqual({ met: true, missing: [], unexpected: [] });
  const reported: number[] = file.errors.map((record: { error_code: number }) => record.error_code);
  expect(reported).toEqual(await keptCodes(live.id, ...reported));
  expect(run.stderr).toMatch(/warning NetStream\.Publish\.Violation {2}\[6208/);
  const wrong = await replay(
    'clean.flv',
    '--to',
    String((await newLive()).secure_stream_url),
    '--speed',
    'max',
    '--expect',
    'expected.json',
  );
  expect(wrong.code).toBe(1);
});

test('the offline verdict equals that of the server, at the same stream times', async () => {
  const live = await newLive();
  const times = (run: CliRun) =>
    JSON.parse(run.stdout).files[0].errors.map((record: { error_code: number; stream_time_ms: number }) => [
      record.error_code,
      record.stream_time_ms,
    ]);
  const offline = await runCli(['validate', 'gap.flv', '--format', 'json'], { cwd: folder });
  const online = await replay('gap.flv', '--to', String(live.secure_stream_url), '--speed', 'max', '--format', 'json');
  expect(times(online)).toEqual(times(offline));
});

test('a recording resent within the reconnect grace gets its violations again', async () => {
  const place = mkdtempSync(join(tmpdir(), 'airlock-replay-again-'));
  const certificates = { AIRLOCK_CERTS_DIR: join(folder, 'certs') };
  const server = await Airlock.start({ ...settings, ...certificates, AIRLOCK_RECONNECT_GRACE_S: '60' }, place);
  const owner = await adminIn(place, 'owner.add', { kind: 'page', name: 'P' });
  const live = await adminIn(place, 'live.create', { owner: owner.id });
  const told = async () => {
    const run = await replay('mono.flv', '--to', String(live.secure_stream_url), '--speed', 'max', '--format', 'json');
    return JSON.parse(run.stdout).files[0].errors.map((record: { error_code: number }) => record.error_code);
  };
  try {
    expect([await told(), await told()]).toEqual([[6304], [6304]]);
    // One record, which stayed open.
    const { errors } = await adminIn(place, 'live.errors', { id: live.id });
    expect(errors).toEqual([expect.objectContaining({ error_code: 6304 })]);
  } finally {
    await server.stop();
    rmSync(place, { recursive: true, force: true });
  }
});

inFull('several concurrent encoders, each with its own key', async () => {
  const lives = [await newLive(), await newLive(), await newLive()];
  const keys = lives.flatMap((live) => ['--key', String(live.stream_key)]);
  const base = String(lives[0]?.stream_url);
  const run = await replay('mono.flv', '--to', base, ...keys, '--connections', '3', '--speed', 'max');
  expect(run.code).toBe(1);
  for (const live of lives) expect(await keptCodes(live.id, 6304)).toEqual([6304]);
});

test('JUnit has a case for the publish and one per violated rule', async () => {
  const live = await newLive();
  const xml = (await replay('mono.flv', '--to', String(live.secure_stream_url), '--speed', 'max', '--format', 'junit'))
    .stdout;
  expect(xml).toMatch(/<testsuites [^>]*tests="2" failures="1"/);
  expect(xml).toMatch(/name="published" time="0"\/>[\s\S]*name="6304 AUDIO_CHANNELS_NOT_STEREO"[^>]*><failure/);
});

inFull('loops continue the timestamps, so that hours pass in seconds', async () => {
  const live = await newLive();
  const run = await replayTo(live, 'clean.flv', '--loop', '50', '--format', 'json');
  const [file] = JSON.parse(run.stdout).files;
  expect(file.stream.streamTimeMs).toBeGreaterThan(299_000);
  expect(file.stream.streamTimeMs).toBeLessThan(301_000);
  expect(await keptCodes(live.id)).not.toContain(6404);
});

test('ends a broadcast of eight hours of media, sent in seconds, at the limit in stream time', async () => {
  // A video frame every 2 s and an audio frame every 4 s, so that eight hours are few packets; the low rate is an error as well.
  const sparse = synthStream({
    durationMs: 60_000,
    width: 640,
    height: 360,
    fps: 0.5,
    videoKbps: 20,
    edit: (message) => (message.role === 'audioFrame' && message.index % 188 > 0 ? [] : [message]),
  });
  put('slow.flv', flvFile(sparse));
  const live = await newLive();
  const to = String(live.secure_stream_url);
  const run = await replay('slow.flv', '--to', to, '--speed', 'max', '--loop', '510', '--format', 'json');
  expect(run.code).toBe(1);
  const [file] = JSON.parse(run.stdout).files;
  const over = file.errors.find((record: { error_code: number }) => record.error_code === 6501);
  expect(over.stream_time_ms).toBeGreaterThan(28_800_000);
  // The first message beyond the limit.
  expect(over.stream_time_ms).toBeLessThanOrEqual(28_802_000);
  expect(file.notes.at(-1)).toMatch(/^ended by the server: \[6501 /);
  expect(await keptCodes(live.id, 6501, 6502)).toEqual(expect.arrayContaining([6501, 6502]));
});

describe('fault injection', () => {
  test('--drop-after closes the connection without unpublishing', async () => {
    const live = await newLive();
    const run = await replayTo(live, 'clean.flv', '--drop-after', '3');
    expect(run.stdout).toMatch(/connection dropped as requested/);
    let kept: number[] = [];
    while (!kept.includes(6503)) kept = await keptCodes(live.id);
    expect(kept).toEqual([6503]);
  });

  test('an odd chunk size, a wide chunk stream ID and wrapping timestamps do not change the verdict', async () => {
    const live = await newLive();
    const odd = ['--chunk-size', '77', '--csid', '400', '--timestamp-offset', String(2 ** 32 - 2000), '--jitter', '1'];
    const run = await replay('clean.flv', '--to', String(live.secure_stream_url), '--speed', 'max', ...odd);
    expect(run.code).toBe(0);
    expect(await keptCodes(live.id)).toEqual([]);
  });
});

test('reports a recording that cannot be sent and still sends the others', async () => {
  makeMedia(join(folder, 'foreign.mkv'), { video: ['-c:v', 'mpeg2video'] });
  put('garbage.flv', 'no recording');
  const files = ['foreign.mkv', 'garbage.flv', 'clean.flv'];
  const run = await replayTo(await newLive(), ...files, '--format', 'json');
  expect(run.code).toBe(2);
  expect(run.stderr).not.toContain('airlock:');
  const rows = JSON.parse(run.stdout).files as { file: string; outcome: string; problem?: string }[];
  expect(rows.map(({ file, outcome }) => [file, outcome])).toEqual([
    ['foreign.mkv', 'unreadable'],
    ['garbage.flv', 'unreadable'],
    ['clean.flv', 'pass'],
  ]);
  expect(rows[0]?.problem).toBe('unsupported video codec mpeg2video: it cannot be sent without transcoding');
});

describe('errors are reported in one line', () => {
  const at = () => String(airlock.quickstart.rtmps_port);

  test('an unknown key is refused with exit code 1', async () => {
    const run = await replay('mono.flv', '--to', `rtmps://localhost:${at()}/live/17-${'a'.repeat(32)}`);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/refused: Unknown stream key/);
    expect(run.stdout + run.stderr).not.toContain('a'.repeat(32));
  });

  test('no server, or no RTMP server, exits with 3', async () => {
    const deaf: Server = createServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const { port } = deaf.address() as { port: number };
    const other = await replay('mono.flv', '--to', `rtmp://127.0.0.1:${port}/live/key`);
    expect(other.code).toBe(3);
    await new Promise((resolve) => deaf.close(resolve));
    const refused = await replay('mono.flv', '--to', `rtmps://127.0.0.1:${port}/live/key`);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toMatch(/^airlock: cannot connect to rtmps:.*: connection refused\n$/);
  });

  test('an untrusted certificate exits with 3 and a remedy; --insecure accepts it', async () => {
    const live = await newLive();
    const elsewhere = mkdtempSync(join(tmpdir(), 'airlock-elsewhere-'));
    const file = join(folder, 'mono.flv');
    const to = String(live.secure_stream_url);
    const run = await runCli(['replay', file, '--to', to], { cwd: elsewhere });
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(/certificate not trusted \(name its authority with --ca FILE/);
    expect((await runCli(['replay', file, '--to', to, '--insecure'], { cwd: elsewhere })).code).toBe(1);
    rmSync(elsewhere, { recursive: true });
  });

  test.each([
    ['no key', ['--to', 'rtmps://localhost/live/', '--key', ''], /no stream key/],
    ['no URL', ['--to', 'localhost'], /--to must be like rtmps:/],
    [
      'too few keys',
      ['--to', 'rtmps://localhost/live', '--key', 'k', '--connections', '2'],
      /2 connections need 2 keys/,
    ],
    ['a speed of 0', ['--to', 'rtmps://localhost/live/k', '--speed', '0'], /above 0/],
  ])('%s: 2', async (_what, args, message) => {
    const run = await replay('mono.flv', ...args);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(message);
  });
});

inFull('fixtures publishes a folder to its own server and compares the records with the expected ones', async () => {
  const set = join(folder, 'set');
  for (const [name, from, expected] of [
    ['good', { durationMs: 2000, width: 640, height: 360, videoKbps: 600 }, []],
    ['mono', { durationMs: 1000, width: 640, height: 360, channels: 1 }, [6304]],
    ['wrong', { durationMs: 1000, width: 640, height: 360, channels: 1 }, []],
  ] as const) {
    mkdirSync(join(set, name), { recursive: true });
    writeFileSync(join(set, name, 'stream.flv'), flvFile(synthStream(from)));
    writeFileSync(join(set, name, 'expected.json'), JSON.stringify({ errors: expected }));
  }
  const run = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    const args = [MAIN, 'fixtures', 'set', '--speed', 'max'];
    execFile(process.execPath, args, { cwd: folder }, (error, stdout) => resolve({ code: error?.code, stdout }));
  });
  expect(run.code).toBe(1);
  expect(run.stdout).toMatch(/as expected +set\/good\/stream\.flv/);
  expect(run.stdout).toMatch(/as expected +set\/mono\/stream\.flv\n +error +0:00:00\.000 +\[6304/);
  expect(run.stdout).toMatch(/NOT AS EXPECTED +set\/wrong\/stream\.flv/);
  expect(run.stdout).toMatch(/unexpected +6304 was recorded but not expected/);
  expect(run.stdout).toMatch(/1 of 3 without errors, 2 of 3 as expected/);
});

test('the server closed every connection', async () => {
  const socket = connect({ port: airlock.quickstart.rtmps_port, host: '127.0.0.1' });
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.destroy();
});
