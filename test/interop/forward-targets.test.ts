/**
 * One broadcast, forwarded to servers of others at a time: what comes out of each is what went in, packet by packet, from a key
 * frame on. `framemd5` of ffmpeg says so, which neither side has written.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { ffmpeg, over, source, start } from '../support/ffmpeg.js';
import { freePort } from '../support/redis-server.js';
import { type RtmpServer, startMediaServer, startNginx } from '../support/rtmp-servers.js';

const SECONDS = 8;
const PACKET_TIMES = ['-show_entries', 'packet=dts_time', '-of', 'csv=p=0'] as const;

let folder: string;
let airlock: Airlock;
const servers: RtmpServer[] = [];
/** Sound of before it is not sent. */
let firstPictureMs: number;
/** Files with what arrived, by target. */
const arrived = new Map<string, string>();
/** While it was sent. */
const states = new Map<string, Record<string, unknown>>();
let input: string;
let codes: readonly number[];

/** The hash of the sequence header of a track, then those of its packets with a time of at least `fromMs`. */
function hashesOf(file: string, track: 'v' | 'a', fromMs = 0): readonly string[] {
  const args = ['-v', 'error', '-i', file, '-map', `0:${track}`, '-c', 'copy', '-f', 'framemd5', '-'];
  const lines = execFileSync('ffmpeg', args, { encoding: 'utf8' }).split('\n');
  const rows = lines.filter((line) => /^(\d|#extradata)/.test(line)).map((line) => line.split(/, */));
  // After the hash of a packet, those of its side data: a header that is repeated is some.
  return rows.flatMap(([first = '', dts, third = '', , , hash = '']) =>
    first.startsWith('#') ? [third] : Number(dts) >= fromMs ? [hash] : [],
  );
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'airlock-test-'));
  const certs = join(folder, 'certs');
  airlock = await Airlock.start(
    { AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535', AIRLOCK_FORWARD_CA: join(certs, 'ca.crt') },
    folder,
  );
  const certificate = { cert: join(certs, 'server.crt'), key: join(certs, 'server.key') };
  const nginx = await startNginx(folder, certificate);
  const mediaServer = await startMediaServer(folder, certificate);
  servers.push(nginx, mediaServer);
  input = join(folder, 'in.flv');
  await ffmpeg([...source({ size: '640x360', videoKbps: 700, seconds: SECONDS, realTime: false }), input]);
  const { stdout } = spawnSync('ffprobe', ['-v', 'error', '-select_streams', 'v', ...PACKET_TIMES, input]);
  firstPictureMs = 1_000 * Number.parseFloat(stdout.toString());
  const listener = `rtmp://127.0.0.1:${await freePort()}/live`;
  const heard = join(folder, 'ffmpeg.flv');
  const listening = start(['-listen', '1', '-i', `${listener}/heard`, '-c', 'copy', heard]);
  const targets = {
    'nginx-rtmp': [nginx.plainUrl ?? '', 'plain'],
    'nginx-rtmp behind TLS': [nginx.secureUrl, 'secure'],
    'node-media-server over TLS': [mediaServer.secureUrl, 'media'],
    'ffmpeg -listen': [listener, 'heard'],
  } as const;
  const live = await airlock.createLive();
  for (const [name, [url, key]] of Object.entries(targets))
    await airlock.post(`/${live.id}/forwards`, { url, stream_key: key, name });
  const publishing = start(['-re', '-i', input, '-c', 'copy', ...over(live.url, airlock.authorityFile)]);
  const all = () => airlock.get(`/${live.id}/forwards`);
  const sending = await airlock.until(all, ({ data }) =>
    data.every(({ state, sent_kbps: rate }: Record<string, unknown>) => state === 'sending' && Number(rate) > 0),
  );
  for (const each of sending.data) states.set(each.name, each);
  const played = join(folder, 'gstreamer.flv');
  const player = spawn(
    'gst-launch-1.0',
    [
      '-q',
      'rtmp2src',
      `location=${nginx.plainUrl}/plain`,
      '!',
      'filesink',
      'buffer-mode=unbuffered',
      `location=${played}`,
    ],
    { stdio: 'ignore' },
  );
  const left = once(player, 'exit');
  await publishing.done;
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  await listening.done;
  player.kill('SIGKILL');
  await left;
  await Promise.all(servers.splice(0).map((server) => server.stop()));
  for (const [name, file] of [
    ['nginx-rtmp', nginx.recordingOf('plain')],
    ['nginx-rtmp behind TLS', nginx.recordingOf('secure')],
    ['node-media-server over TLS', mediaServer.recordingOf('media')],
    ['ffmpeg -listen', heard],
    ['GStreamer, which plays from nginx-rtmp', played],
  ] as const)
    if (file !== undefined && existsSync(file)) arrived.set(name, file);
  codes = (await airlock.errorsButPace(live.id)).map(({ error_code }) => error_code);
}, 90_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await airlock.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

test.each(['nginx-rtmp', 'nginx-rtmp behind TLS', 'node-media-server over TLS', 'ffmpeg -listen'])(
  '%s gets every packet, from the first key frame on',
  (name) => {
    expect(states.get(name)).toMatchObject({ state: 'sending', attempts: 0, dropped_ms: 0 });
    for (const track of ['v', 'a'] as const)
      expect(hashesOf(arrived.get(name) ?? '', track)).toEqual(hashesOf(input, track, firstPictureMs));
  },
);

test('GStreamer plays from a target what was sent, from a key frame on', () => {
  const wanted = hashesOf(input, 'v');
  const [header, first, ...others] = hashesOf(arrived.get('GStreamer, which plays from nginx-rtmp') ?? '', 'v');
  const at = wanted.indexOf(first ?? '');
  expect(header).toBe(wanted[0]);
  expect(at).toBeGreaterThan(0);
  expect(others.length).toBeGreaterThan(30);
  expect(others).toEqual(wanted.slice(at + 1, at + 1 + others.length));
});

test('four targets cost the broadcast no record', () => {
  expect(codes).toEqual([]);
});
