/** `POST /obs/go-live` over HTTP: the same gate as a publish, refusals as dialogs, no key in the log. */
import { connect } from 'node:net';
import type { CloseReason } from '../../src/broadcasts/publisher/close-reasons.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import { VOLATILE_GROUP } from '../../src/ports/index.js';
import { ApiHarness } from '../support/api-harness.js';
import { obs30Request, obs32Request } from '../support/go-live-request.js';
import { raised } from '../support/store-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

const ask = (body: object) => harness.ask('POST', '/obs/go-live', { token: null, json: body });

async function keyOf(liveVideoId: string): Promise<string> {
  const url = (await harness.get(`/${liveVideoId}`, { fields: 'stream_url' })).body.stream_url as string;
  return url.slice(url.lastIndexOf('/') + 1);
}

test.each([
  ['30.2', obs30Request],
  ['32', obs32Request],
])('OBS %s with a right key gets settings and the address, without a token', async (_name, request) => {
  const key = await keyOf(await harness.live());
  const { status, body, headers } = await ask(request({ key: `${key}?foo=1` }));
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body.status).toBeUndefined();
  expect(body.meta.config_id).toMatch(/^airlock-\d+$/);
  expect(body.ingest_endpoints).toEqual([
    { protocol: 'RTMP', url_template: 'rtmps://localhost:1936/live/{stream_key}' },
  ]);
  expect(body.encoder_configurations).toHaveLength(1);
});

test('the key is in no line of the log and not in the answer', async () => {
  const key = await keyOf(await harness.live());
  const right = await ask(obs32Request({ key }));
  // Keys are random, and some end with a 7.
  const wrong = await ask(obs32Request({ key: `${key.slice(0, -1)}${key.endsWith('7') ? '2' : '7'}` }));
  expect(wrong.body.status.result).toBe('error');
  const secret = key.slice(key.indexOf('-') + 1, -2);
  expect(right.text + wrong.text).not.toContain(secret);
  expect(JSON.stringify(harness.log.lines)).not.toContain(secret);
});

test('a wrong key, an ended broadcast and a missing privacy setting are error dialogs with the reason', async () => {
  const wrong = await ask(obs30Request({ key: '1-abcdefghijklmnopqrstuvwxyz234567' }));
  expect(wrong.status).toBe(200);
  expect(wrong.body.status).toEqual({ result: 'error', html_en_us: expect.stringContaining('Unknown stream key') });
  expect(wrong.body.encoder_configurations).toEqual([]);

  const ended = await harness.live();
  await harness.goLive(ended);
  const key = await keyOf(ended);
  await harness.endTo(ended, 'LIVE_STOPPED');
  expect((await ask(obs32Request({ key }))).body.status.html_en_us).toContain('has ended');

  const young = await harness.owner({ kind: 'user', name: 'Young', profileAgeDays: 90, followers: 500 });
  const made = await harness.broadcasts.create({ ownerId: young });
  await harness.profile(young, { ageDays: 1 });
  const denied = await ask(obs32Request({ key: harness.broadcasts.urls(made).key }));
  expect(denied.body.status).toEqual({ result: 'error', html_en_us: expect.stringContaining('1363120') });
});

test('a bandwidth that leaves too little for a picture is an error dialog that names the limit', async () => {
  const live = await harness.live();
  const key = await keyOf(live);
  for (const maxKbps of [0, 100, 227]) {
    const { status, encoder_configurations: tracks } = (await ask(obs32Request({ key, maxKbps }))).body;
    expect([status.result, tracks]).toEqual(['error', []]);
    expect(status.html_en_us).toContain(`Maximum Streaming Bandwidth is ${maxKbps} kbps`);
    expect(status.html_en_us).toContain('360p, needs 528 kbps');
  }
  const { status, encoder_configurations: tracks } = (await ask(obs32Request({ key, maxKbps: 228 }))).body;
  expect([status.result, tracks[0].settings.bitrate]).toEqual(['warning', 100]);
});

test('a key that another encoder publishes with is refused until that encoder is silent', async () => {
  const id = await harness.live();
  const key = await keyOf(id);
  const lease = await harness.store.leases.acquire(`publish:${id}`, 'another-process', 10_000);
  if (lease === undefined) throw new Error('no lease');
  await harness.store.leases.proveAlive('another-process', 60_000);
  expect((await ask(obs32Request({ key }))).body.status.html_en_us).toContain('already publishing');
  await harness.store.volatile.set(
    `health:${id}`,
    { connected: true, silentMs: 4_000, atMs: harness.clock.wallMs() },
    10_000,
  );
  expect((await ask(obs32Request({ key }))).body.status).toBeUndefined();
  expect((await harness.store.leases.holder(`publish:${id}`))?.holder).toBe('another-process');
  await harness.store.leases.release(lease);
});

test('a persistent key whose live video has ended is answered, and opens no live video', async () => {
  const id = await harness.live();
  await harness.post(`/${id}`, { persistent_stream_key_status: 'ENABLE' });
  const urls = await harness.broadcasts.persistentUrls(harness.page);
  if (urls === undefined) throw new Error('no persistent key');
  await harness.goLive(id);
  await harness.endTo(id, 'LIVE_STOPPED');
  const before = (await harness.get(`/${harness.page}/live_videos`)).body.data.length;
  const { body } = await ask(obs32Request({ key: urls.key }));
  expect(body.status).toBeUndefined();
  expect(body.encoder_configurations).toHaveLength(1);
  expect((await harness.get(`/${harness.page}/live_videos`)).body.data).toHaveLength(before);
});

test('a body that is no question of OBS gets a dialog; only another method or a body that is too large gets an HTTP error', async () => {
  for (const body of ['', '{', '[]', 'null', '{"authentication":7}', '\0'.repeat(1_000)]) {
    const reply = await harness.ask('POST', '/obs/go-live', { token: null, body });
    expect(reply.status).toBe(200);
    expect(reply.body.status.result).toBe('error');
  }
  const large = await harness.ask('POST', '/obs/go-live', { token: null, body: 'x'.repeat(65 * 1024) });
  expect(large.status).toBe(413);
  const opened = await harness.ask('GET', '/obs/go-live', { token: null });
  expect([opened.status, opened.headers.get('allow')]).toEqual([405, 'POST']);
});

test('wrong keys are counted by address', async () => {
  const limited = await ApiHarness.open();
  const wrong = obs32Request({ key: '1-abcdefghijklmnopqrstuvwxyz234567' });
  let html = '';
  for (let tries = 0; tries < 21; tries++) {
    const reply = await limited.ask('POST', '/obs/go-live', { token: null, json: wrong });
    html = reply.body.status.html_en_us;
  }
  expect(html).toContain('Too many wrong stream keys');
  await limited.close();
});

test('a client that disconnects within the body costs its connection only', async () => {
  const { port } = new URL(harness.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined).resume();
  await new Promise((resolve) => socket.once('connect', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end('POST /obs/go-live HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"authent');
  await closed;
  expect((await ask(obs32Request({ key: await keyOf(await harness.live()) }))).status).toBe(200);
  expect(harness.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('the answer and the profile to import have the settings of the operator for the live video', async () => {
  const id = await harness.live({ encoder_profile: '480p30' });
  const key = await keyOf(id);
  const wide = { key, canvas: [1920, 1080], fps: [60, 1] } as const;
  const encoder = async () => (await ask(obs32Request(wide))).body.encoder_configurations[0];
  expect(await encoder()).toMatchObject({ width: 854, height: 480, settings: { bitrate: 1_300 } });
  await harness.post(`/${id}`, { encoder_profile: '720p60', encoder_bitrate: '3000' });
  expect(await encoder()).toMatchObject({ width: 1280, height: 720, settings: { bitrate: 3_000 } });
  const { body } = await harness.get(`/${id}`, { fields: 'encoder_profile,encoder_bitrate' });
  expect(body).toMatchObject({ encoder_profile: '720p60', encoder_bitrate: 3_000 });
  const profile = await harness.get(`/${id}/obs_profile`, { type: 'json' });
  expect(profile.body.files[0].text).toContain('OutputCX=1280\nOutputCY=720\nFPSType=0\nFPSCommon=60\n');
  await harness.post(`/${id}`, { encoder_profile: 'auto', encoder_bitrate: '0' });
  expect(await encoder()).toMatchObject({ width: 1920, settings: { bitrate: 6_750 } });
  expect((await harness.post(`/${id}`, { encoder_profile: '4k' })).body.error.code).toBe(100);
});

test('a live video with enable_multitrack is answered with two tracks', async () => {
  const id = await harness.live({ enable_multitrack: 'true' });
  const { body } = await ask(obs32Request({ key: await keyOf(id) }));
  expect(body.encoder_configurations.map(({ height }: { height: number }) => height)).toEqual([720, 480]);
  expect((await harness.get(`/${id}`, { fields: 'enable_multitrack' })).body.enable_multitrack).toBe(true);
  const setup = await harness.store.volatile.getIn(VOLATILE_GROUP.encoderSetups(harness.page), id);
  expect(setup).toMatchObject({
    configId: body.meta.config_id,
    height: 720,
    moreTracks: [{ width: 854, height: 480, fps: 30, videoKbps: 1_300 }],
  });
  await harness.post(`/${id}`, { enable_multitrack: 'false' });
  expect((await ask(obs32Request({ key: await keyOf(id) }))).body.encoder_configurations).toHaveLength(1);
});

test('open faults of the last broadcast are told once, and its uplink limits the bitrate', async () => {
  const owner = await harness.owner({ kind: 'page', name: 'With a past' });
  const create = async () => (await harness.broadcasts.create({ ownerId: owner })).id;
  const before = await create();
  await harness.goLive(before);
  const lost = { severity: 'warning', cleared_time_ms: null } as const;
  const [drift, uplink] = [
    'The audio is 2 s late. Set the offset to 0.',
    'The uplink carries 2.4 of 3.0 Mbit/s. Lower the video bitrate to 1,900 kbps.',
  ];
  const records = [
    { ...lost, error_code: 6405, description: `[6405 A] ${drift}` },
    { ...lost, error_code: 6902, description: `[6902 A] ${uplink}`, remediation: uplink },
  ];
  await harness.store.records.append(records.map((changes, index) => raised(before, 1, index + 1, changes)));
  await harness.endTo(before, 'LIVE_STOPPED');
  const live = await harness.store.objects.get<LiveVideoData>(await create());
  if (live === undefined) throw new Error('no live video');
  const request = obs32Request({ key: harness.broadcasts.urls(live).key });
  const first = (await ask(request)).body;
  expect(first.status.html_en_us).toContain(drift);
  expect(first.encoder_configurations[0].settings.bitrate).toBe(1_900);
  const second = (await ask(request)).body;
  expect(second.status).toBeUndefined();
  expect(second.encoder_configurations[0].settings.bitrate).toBe(1_900);
});

describe('a publish with the id of an answer', () => {
  const from = { address: '127.0.0.1', encoder: 'obs' };
  const channel = { notify: () => undefined, closeWith: () => undefined };

  async function publish(name: string): Promise<void> {
    const admission = await harness.engine.admit(name, '', from);
    if (!admission.accepted) throw new Error(admission.description);
    const client = { secure: true, clientName: 'obs' };
    const session = await harness.engine.start(admission, channel, client, harness.log);
    await session.leave('lost');
  }

  const setupOf = async (id: string) => (await harness.get(`/${id}`, { fields: 'encoder_setup' })).body.encoder_setup;

  test('shows what the encoder was set up with, until a publish comes without it', async () => {
    const id = await harness.live();
    const key = await keyOf(id);
    await publish(key);
    expect(await setupOf(id)).toBeUndefined();
    const { config_id } = (await ask(obs32Request({ key }))).body.meta;
    await publish(`${key}?a=b&clientConfigId=${config_id}`);
    expect(await setupOf(id)).toEqual({
      configured: true,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
      client: 'obs-studio 32.2.2',
      width: 1280,
      height: 720,
      frame_rate: 30,
      video_bitrate_kbps: 2750,
    });
    await publish(key);
    expect(await setupOf(id)).toMatchObject({ configured: false, width: 1280 });
  });

  test('an answer to another owner, and an unknown one, do not count', async () => {
    const id = await harness.live();
    const key = await keyOf(id);
    const other = await keyOf(await harness.live({}, harness.group));
    const { config_id } = (await ask(obs32Request({ key: other }))).body.meta;
    await publish(`${key}?clientConfigId=${config_id}`);
    await publish(`${key}?clientConfigId=airlock-7`);
    expect(await setupOf(id)).toBeUndefined();
  });

  test('the last answer for a key counts, and the one that the broadcast runs with also after it', async () => {
    const id = await harness.live();
    const key = await keyOf(id);
    const answer = async (canvas: [number, number]) =>
      `${key}?clientConfigId=${(await ask(obs32Request({ key, canvas }))).body.meta.config_id}`;
    const replaced = await answer([640, 360]);
    const used = await answer([1920, 1080]);
    await publish(replaced);
    expect(await setupOf(id)).toBeUndefined();
    await publish(used);
    const newer = await answer([854, 480]);
    // Its encoder reconnects, also after more than a day.
    harness.clock.advance(25 * 3_600_000);
    await publish(key);
    expect(await setupOf(id)).toMatchObject({ configured: false, height: 1080 });
    await publish(used);
    expect(await setupOf(id)).toMatchObject({ configured: true, height: 1080 });
    await publish(newer);
    expect(await setupOf(id)).toMatchObject({ configured: false, height: 1080 });
  });

  test('only managers of the broadcast read it', async () => {
    const id = await harness.live();
    const key = await keyOf(id);
    const { config_id } = (await ask(obs32Request({ key }))).body.meta;
    await publish(`${key}?clientConfigId=${config_id}`);
    const reply = await harness.get(`/${id}`, { fields: 'encoder_setup' }, { token: harness.strangerToken });
    expect(reply.text).not.toContain('configured');
  });
});

describe('re-tuning a running encoder', () => {
  const from = { address: '127.0.0.1', encoder: 'obs' };
  const lastRequest = (key: string) => obs32Request({ key, canvas: [1920, 1080] });

  /** Publishes with the settings of an answer; `closings` are the reasons for which the server disconnects it. */
  async function publishing(id: string, key: string) {
    const { config_id } = (await ask(lastRequest(key))).body.meta;
    const name = `${key}?clientConfigId=${config_id}`;
    const admission = await harness.engine.admit(name, '', from);
    if (!admission.accepted) throw new Error(admission.description);
    const closings: string[] = [];
    const channel = { notify: () => undefined, closeWith: ({ kind }: CloseReason) => closings.push(kind) };
    const session = await harness.engine.start(admission, channel, { secure: true, clientName: 'obs' }, harness.log);
    const { status } = await harness.states.load(id).then(({ data }) => data);
    if (status !== 'LIVE') await harness.states.move(id, { type: 'valid-data', wallMs: harness.clock.wallMs() });
    return { name, session, closings };
  }

  test('lets it go, refuses its settings without a record, and answers its question with the new ones', async () => {
    const id = await harness.live();
    const key = await keyOf(id);
    const mono = { ...lastRequest(key), preferences: { ...lastRequest(key).preferences, audio_channels: 1 } };
    expect((await ask(mono)).body.status.result).toBe('warning');
    const first = await publishing(id, key);
    const reply = await harness.post(`/${id}`, { retune_encoder: 'true', encoder_profile: '480p30' });
    expect(reply.status).toBe(200);
    expect(first.closings).toEqual(['retuned']);
    await first.session.leave('lost');
    for (let tries = 0; tries < 6; tries++) {
      expect(await harness.engine.admit(first.name, '', from)).toMatchObject({ accepted: false, reason: 'retuning' });
    }
    // Without a dialog: OBS asks by itself, and a warning would keep it off air until someone clicks.
    const { body } = await ask(mono);
    expect(body.encoder_configurations[0]).toMatchObject({ height: 480 });
    expect(body.status).toBeUndefined();
    const narrow = { ...mono, preferences: { ...mono.preferences, maximum_aggregate_bitrate: 100 } };
    const least = (await ask(narrow)).body;
    expect([least.status, least.encoder_configurations[0].settings.bitrate]).toEqual([undefined, 100]);
    const second = await publishing(id, key);
    const { data } = await harness.states.load(id);
    expect(data).toMatchObject({ status: 'LIVE', stream: 'connected', isSetUp: true, encoderSetup: { height: 480 } });
    expect(data.retune).toBeUndefined();
    // Undone in the same way.
    expect((await harness.post(`/${id}`, { retune_encoder: 'true', encoder_profile: 'auto' })).status).toBe(200);
    expect(second.closings).toEqual(['retuned']);
    await second.session.leave('lost');
    const third = await publishing(id, key);
    expect((await harness.states.load(id)).data.encoderSetup).toMatchObject({ height: 1080 });
    await third.session.leave('unpublished');
    expect((await harness.get(`/${id}/errors`)).body.data).toEqual([]);
  });

  test('is refused for a broadcast without such an encoder, and changes nothing then', async () => {
    const id = await harness.live();
    const reply = await harness.post(`/${id}`, { retune_encoder: 'true', encoder_profile: '480p30' });
    expect(reply.body.error).toMatchObject({ code: 100, message: expect.stringContaining('only a LIVE one') });
    expect((await harness.get(`/${id}`, { fields: 'encoder_profile' })).body.encoder_profile).toBeUndefined();
  });

  test('lets another encoder publish meanwhile', async () => {
    const id = await harness.live();
    const key = await keyOf(id);
    const first = await publishing(id, key);
    await harness.post(`/${id}`, { retune_encoder: 'true' });
    await first.session.leave('lost');
    const admission = await harness.engine.admit(key, '', from);
    expect(admission.accepted).toBe(true);
    if (admission.accepted) await harness.engine.release(admission);
  });
});
