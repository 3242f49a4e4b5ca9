/** Queries of error records: by id, by owner, by filter; after deletions; with the scope `operator_read`. */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { edgeOf, VOLATILE } from '../../src/ports/index.js';
import { adminActions } from '../../src/server/admin/actions.js';
import { StoreOwnerQuota } from '../../src/server/services/owner-quota.js';
import { ApiHarness, errorOf } from '../support/api-harness.js';
import { entry, recordBody } from '../support/store-harness.js';

let harness: ApiHarness;
let operatorToken = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  const token = await harness.tokenOf(harness.stranger, { scopes: ['operator_read'] });
  operatorToken = token;
});
afterAll(() => harness.close());

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** Records of these codes, a second apart from `fromMs`. */
async function store(id: string, codes: readonly number[], fromMs = START_MS): Promise<void> {
  const entries = codes.map((code, index) =>
    entry(id, 1, index + 1, {
      change: 'raised',
      body: recordBody(id, 1, index + 1, { error_code: code, timestampMs: fromMs + index * 1_000 }),
    }),
  );
  await harness.store.records.append(entries);
}

const codesOf = (body: { data: { error_code: number }[] }) => body.data.map((each) => each.error_code);

test('one record by its id, with fields and date_format', async () => {
  const id = await harness.live();
  await store(id, [6208]);
  const [record] = (await harness.get(`/${id}/errors`)).body.data;
  expect((await harness.get(`/${record.id}`)).body).toEqual(record);
  expect((await harness.get(`/${record.id}`, { fields: 'error_code' })).body).toEqual({
    error_code: 6208,
    id: record.id,
  });
  const { body } = await harness.get(`/${record.id}`, { date_format: 'U' });
  expect([body.creation_time, body.timestamp]).toEqual([START_MS / 1000, START_MS / 1000].map(Math.floor));
  for (const token of [harness.strangerToken]) {
    const hidden = await harness.get(`/${record.id}`, {}, { token });
    const unknown = await harness.get(`/${id}_1_99`, {}, { token });
    expect(hidden.status).toBe(400);
    expect(errorOf(hidden)).toMatchObject({ code: 100, error_subcode: 33 });
    expect(errorOf(unknown)).toMatchObject({ code: 100, error_subcode: 33 });
  }
});

test('error_type takes the families of the conventions beside the types of rules, and a record names its own', async () => {
  const id = await harness.live();
  const body = (number: number, over: object) => recordBody(id, 1, number, over);
  await harness.store.records.append([
    entry(id, 1, 1, {
      change: 'raised',
      body: body(1, { error_code: 6208, error_type: 'KEY_FRAME_INTERVAL_TOO_LONG' }),
    }),
    entry(id, 1, 2, {
      change: 'raised',
      body: body(2, { error_code: 6217, error_type: 'METADATA_MISMATCH', severity: 'info' }),
    }),
    entry(id, 1, 3, {
      change: 'raised',
      body: body(3, { error_code: 6503, error_type: 'STREAM_INTERRUPTED', severity: 'warning' }),
    }),
  ]);
  for (const [types, codes] of [
    ['stream', [6503, 6208]],
    ['info', [6217]],
    ['STREAM', [6503, 6208]],
    ['info,STREAM_INTERRUPTED', [6503, 6217]],
    ['METADATA_MISMATCH', [6217]],
    ['["stream","info"]', [6503, 6217, 6208]],
  ] as const) {
    const read = await harness.get(`/${id}/errors`, { error_type: types, fields: 'error_code,error_family' });
    expect([types, codesOf(read.body)]).toEqual([types, codes]);
    for (const { error_code: code, error_family: family } of read.body.data) {
      expect(family).toBe(code === 6217 ? 'info' : 'stream');
    }
  }
  const owned = await harness.get(`/${harness.page}/errors`, { error_type: 'info' });
  expect(codesOf(owned.body)).toEqual([6217]);
  expect(errorOf(await harness.get(`/${id}/errors`, { error_type: 'streams' }))).toMatchObject({ code: 100 });
});

describe('a record names its broadcast and its video', () => {
  const idsIn = (record: Record<string, unknown>) => [record.broadcast_id, record.video_id];
  const uploaded = async (more: object = {}): Promise<string> => {
    const id = harness.ids.next();
    const at = { createdMs: harness.clock.wallMs(), updatedMs: harness.clock.wallMs() };
    const data = { ownerId: harness.page, ownerKind: 'page', published: true, videoStatus: 'ready', ...more };
    await harness.store.objects.commit([{ op: 'put', object: { id, kind: 'video', ...at, data } }]);
    await store(id, [6703]);
    return id;
  };

  test('wherever it is read', async () => {
    const page = await harness.owner({ kind: 'page', name: 'Of Names', managerId: harness.user });
    const id = await harness.live({}, page);
    await store(id, [6208]);
    const video = (await harness.get(`/${id}`, { fields: 'video' })).body.video.id;
    const fields = 'broadcast_id,video_id';
    const lists = [
      ...[id, video, page].map((each) => harness.get(`/${each}/errors`)),
      ...[id, video, page].map((each) => harness.get(`/${each}/errors`, { fields })),
      ...[id, video].map((each) => harness.get(`/${each}/errors`, { summary: 'true', date_format: 'U' })),
    ];
    const nested = [id, video].map((each) => harness.get(`/${each}`, { fields: `errors{${fields}}` }));
    const one = [{}, { fields }].map((query) => harness.get(`/${id}_1_1`, query));
    const report = await harness.get(`/${id}/report`);
    const quota = new StoreOwnerQuota(harness.store, harness.clock, { publishers: 0, objects: 0, bytes: 0 });
    const admin = adminActions({ ...harness, publicHttpUrl: 'http://localhost', quota })['live.errors'];
    const byCommand = [id, video].map(
      (each) => admin?.({ id: each }) as Promise<{ errors: Record<string, unknown>[] }>,
    );
    const records = [
      ...(await Promise.all(lists)).map(({ body }) => body.data[0]),
      ...(await Promise.all(nested)).map(({ body }) => body.errors.data[0]),
      ...(await Promise.all(one)).map(({ body }) => body),
      report.body.records.data[0],
      ...(await Promise.all(byCommand)).map(({ errors }) => errors[0]),
    ];
    expect(records.map(idsIn)).toEqual(records.map(() => [id, video]));
  });

  test('of which an uploaded video has no broadcast, also once it is deleted', async () => {
    const id = await uploaded();
    for (const isDeleted of [false, true]) {
      if (isDeleted) await harness.delete(`/${id}`);
      const [record] = (await harness.get(`/${id}/errors`)).body.data;
      expect(idsIn(record)).toEqual([undefined, id]);
      expect(idsIn((await harness.get(`/${id}_1_1`)).body)).toEqual([undefined, id]);
    }
  });

  test('of which the Video stays when a recorded live video is deleted, until it is deleted too', async () => {
    const id = await harness.live();
    await store(id, [6208]);
    const video = (await harness.get(`/${id}`, { fields: 'video' })).body.video.id;
    await harness.goLive(id);
    await harness.endTo(id, 'VOD');
    expect((await harness.delete(`/${id}`)).body).toEqual({ success: true, kept_video_id: video });
    for (const each of [id, video])
      expect(idsIn((await harness.get(`/${each}/errors`)).body.data[0])).toEqual([id, video]);
    await harness.delete(`/${video}`);
    for (const each of [id, video])
      expect(idsIn((await harness.get(`/${each}/errors`)).body.data[0])).toEqual([id, undefined]);
  });
});

test('an answered page is kept until a record changes, unless its links repeat the token or its times may move', async () => {
  const id = await harness.live();
  await store(id, [6208, 6210]);
  const pages = jest.spyOn(harness.store.records, 'page');
  const readsOf = async (query: Record<string, string>, ask: Parameters<ApiHarness['get']>[2] = {}) => {
    pages.mockClear();
    const reply = await harness.get(`/${id}/errors`, query, ask);
    expect(reply.status).toBe(200);
    return [codesOf(reply.body), pages.mock.calls.length];
  };
  const header = { token: null, headers: { authorization: `Bearer ${harness.token}` } };
  expect(await readsOf({}, header)).toEqual([[6210, 6208], 1]);
  expect(await readsOf({}, header)).toEqual([[6210, 6208], 0]);
  expect(await readsOf({ fields: 'error_code' }, header)).toEqual([[6210, 6208], 1]);
  expect(await readsOf({ since: '2026-01-01' }, header)).toEqual([[6210, 6208], 1]);
  expect(await readsOf({ since: '2026-01-01' }, header)).toEqual([[6210, 6208], 1]);
  for (const _ of [1, 2])
    expect(await readsOf({ access_token: harness.token }, { token: null })).toEqual([[6210, 6208], 1]);
  await harness.store.records.append([
    entry(id, 1, 3, { change: 'raised', body: recordBody(id, 1, 3, { error_code: 6301 }) }),
  ]);
  expect(await readsOf({}, header)).toEqual([[6301, 6210, 6208], 1]);
  pages.mockRestore();
});

describe('filters', () => {
  let id = '';
  beforeAll(async () => {
    id = await harness.live();
    await store(id, [6208, 6210, 6208, 6402, 6208]);
    await harness.live({}, harness.user);
  });

  test.each([
    [{ error_code: '6208' }, [6208, 6208, 6208]],
    [{ error_code: '6210,6402' }, [6402, 6210]],
    [{ error_code: '[6210]' }, [6210]],
    [{ error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR', limit: '2' }, [6208, 6402]],
    [{ source: 'publish' }, []],
    [{ source: 'stream', error_code: '6402' }, [6402]],
  ])('%j', async (query, codes) => {
    const reply = await harness.get(`/${id}/errors`, query as Record<string, string>);
    expect([reply.status, codesOf(reply.body)]).toEqual([200, codes]);
  });

  test.each([
    'error_code=9999',
    'error_type=NO_SUCH_TYPE',
    'error_subcode=5',
    'source=moon',
    'severity=bad',
    'open=perhaps',
  ])('an unknown value is error 100: %s', async (query) => {
    const reply = await harness.get(`/${id}/errors?${query}`);
    expect(reply.status).toBe(400);
    expect(errorOf(reply)).toMatchObject({ code: 100, message: expect.stringContaining(query.split('=')[0] ?? '') });
    expect((await harness.get(`/${harness.page}/errors?${query}`)).status).toBe(400);
  });

  test('pages of filtered records hold each record once, forward and back', async () => {
    const query = { error_code: '6208', limit: '1' };
    const first = await harness.get(`/${id}/errors`, query);
    const second = await harness.get(`/${id}/errors`, { ...query, after: first.body.paging.cursors.after });
    const third = await harness.get(`/${id}/errors`, { ...query, after: second.body.paging.cursors.after });
    const pages = [first, second, third].map(({ body }) => body.data[0].sequence);
    expect(pages).toEqual([5, 3, 1]);
    expect(third.body.paging.next).toBeUndefined();
    const back = await harness.get(`/${id}/errors`, { ...query, before: third.body.paging.cursors.before });
    expect(back.body.data[0].sequence).toBe(3);
  });

  test('every time of a nested list follows date_format', async () => {
    const { body } = await harness.get(`/${id}`, {
      fields: 'creation_time,errors{timestamp}',
      date_format: 'd.m.Y H:i',
    });
    expect(body.errors.data[0].timestamp).toBe('02.01.2026 03:04');
    expect(body.creation_time).toMatch(/^\d\d\.\d\d\.\d{4} \d\d:\d\d$/);
    const plain = await harness.get(`/${id}/errors`);
    expect(plain.body.data[0].timestamp).toBe('2026-01-02T03:04:09.678Z');
  });
});

test('all broadcasts of an owner, newest first, over pages in both directions', async () => {
  const page = await harness.owner({ kind: 'page', name: 'Of Errors', managerId: harness.user });
  const [first, second] = [await harness.live({}, page), await harness.live({}, page)];
  await store(first, [6201, 6202, 6203], START_MS);
  await store(second, [6301, 6302, 6303], START_MS + 500);
  const all = [6303, 6203, 6302, 6202, 6301, 6201];
  expect(codesOf((await harness.get(`/${page}/errors`)).body)).toEqual(all);
  const seen: number[] = [];
  let after: string | undefined;
  let before: string | undefined;
  do {
    const query = { limit: '2', ...(after === undefined ? {} : { after }) };
    const { body } = await harness.get(`/${page}/errors`, query);
    seen.push(...codesOf(body));
    after = body.paging?.next === undefined ? undefined : body.paging.cursors.after;
    before = body.paging?.cursors.before;
    expect(body.paging.previous === undefined).toBe(seen.length === 2);
  } while (after !== undefined);
  expect(seen).toEqual(all);

  const back: number[] = [];
  while (before !== undefined) {
    const { body } = await harness.get(`/${page}/errors`, { limit: '2', before });
    back.unshift(...codesOf(body));
    before = body.paging?.previous === undefined ? undefined : body.paging.cursors.before;
  }
  expect(back).toEqual(all.slice(0, 4));
  const { body } = await harness.get(`/${page}/errors`, { error_code: '6202', summary: 'true' });
  expect([codesOf(body), body.summary.total_count]).toEqual([[6202], 6]);
  expect((await harness.get(`/${page}/errors`, {}, { token: harness.strangerToken })).status).toBe(403);

  await harness.delete(`/${first}`);
  expect(codesOf((await harness.get(`/${page}/errors`)).body)).toEqual(all);
});

test('an owner with more broadcasts than one read of its list', async () => {
  const page = await harness.owner({ kind: 'page', name: 'Of Many', managerId: harness.user });
  const ids = Array.from({ length: 501 }, () => harness.ids.next());
  const writes = ids.map(
    (member, score) => ({ op: 'edgeAdd', ...edgeOf(page, 'live_videos'), member, score }) as const,
  );
  await harness.store.objects.commit(writes);
  const [oldest = '', newest = ''] = [ids[0], ids.at(-1)];
  await store(oldest, [6201], START_MS + 1);
  await store(newest, [6202], START_MS);
  const { body } = await harness.get(`/${page}/errors`, { summary: 'true' });
  expect([codesOf(body), body.summary.total_count]).toEqual([[6201, 6202], 2]);
});

describe('records outlive', () => {
  test('a live video and its Video, for the former owner only', async () => {
    const id = await harness.live();
    const { body } = await harness.get(`/${id}`, { fields: 'video' });
    await store(id, [6208]);
    const [record] = (await harness.get(`/${id}/errors`)).body.data;
    expect((await harness.delete(`/${id}`)).body).toEqual({ success: true });
    const { video_id: _deleted, ...left } = record;
    for (const what of [id, body.video.id]) {
      expect((await harness.get(`/${what}/errors`)).body.data).toEqual([left]);
      const others = await harness.get(`/${what}/errors`, {}, { token: harness.strangerToken });
      expect(errorOf(others)).toMatchObject({ error_subcode: 'LIVE_VIDEO__NOT_EXIST' });
    }
    expect((await harness.get(`/${record.id}`)).body).toEqual(left);
    expect((await harness.get(`/${record.id}`, {}, { token: harness.strangerToken })).status).toBe(400);
    expect(errorOf(await harness.get(`/${id}`))).toMatchObject({ error_subcode: 'LIVE_VIDEO__NOT_EXIST' });
    expect(errorOf(await harness.get(`/${id}/input_streams`))).toMatchObject({
      error_subcode: 'LIVE_VIDEO__NOT_EXIST',
    });
    expect(errorOf(await harness.get(`/${body.video.id}`))).toMatchObject({ code: 100, error_subcode: 33 });
  });

  test('an uploaded video', async () => {
    const id = harness.ids.next();
    const at = { createdMs: harness.clock.wallMs(), updatedMs: harness.clock.wallMs() };
    const data = { ownerId: harness.page, ownerKind: 'page', published: true, videoStatus: 'error' };
    await harness.store.objects.commit([{ op: 'put', object: { id, kind: 'video', ...at, data } }]);
    await store(id, [6703]);
    await harness.delete(`/${id}`);
    expect(codesOf((await harness.get(`/${id}/errors`)).body)).toEqual([6703]);
    expect((await harness.get(`/${id}/errors`, {}, { token: harness.strangerToken })).status).toBe(400);
    expect(errorOf(await harness.get(`/${id}`))).toMatchObject({ code: 100, error_subcode: 33 });
  });
});

describe('operator_read', () => {
  const asOperator = (path: string, query = {}) => harness.get(path, query, { token: operatorToken });

  test('reads errors, reports and health of every broadcast', async () => {
    const id = await harness.live();
    await store(id, [6208]);
    const [record] = (await asOperator(`/${id}/errors`)).body.data;
    expect(record.error_code).toBe(6208);
    expect((await asOperator(`/${record.id}`)).body).toEqual(record);
    expect((await asOperator(`/${harness.page}/errors`)).status).toBe(200);
    expect((await asOperator(`/${id}/report`)).body).toMatchObject({ id, health_status: 'no_data' });
    await harness.delete(`/${id}`);
    expect(codesOf((await asOperator(`/${id}/errors`)).body)).toEqual([record.error_code]);
  });

  test('reads and writes nothing else', async () => {
    const id = await harness.live();
    for (const path of [`/${id}`, `/${id}/input_streams`, `/${id}/polls`, `/${id}/comments`]) {
      expect([path, (await asOperator(path)).status]).toEqual([path, 400]);
    }
    expect((await harness.post(`/${id}`, { title: 'x' }, { token: operatorToken })).status).toBe(400);
    expect((await harness.delete(`/${id}`, { token: operatorToken })).status).toBe(400);
    await harness.goLive(id);
    expect((await asOperator(`/${id}`)).status).toBe(403);
    const token = await harness.tokenOf(harness.stranger, { scopes: ['operator_read', 'pages_read_engagement'] });
    const { body } = await harness.get(`/${id}`, { fields: 'health_status,stream_url,end_reason' }, { token });
    expect(Object.keys(body).sort()).toEqual(['health_status', 'id']);
  });

  test('is no default scope', async () => {
    const id = await harness.live({}, harness.user);
    expect((await harness.get(`/${id}/errors`, {}, { token: harness.strangerToken })).status).toBe(400);
  });
});

test('the report of a session', async () => {
  const id = await harness.live();
  await harness.goLive(id);
  const nowMs = harness.clock.wallMs();
  await store(id, [6208], nowMs);
  harness.clock.advance(10_000);
  const { status, body } = await harness.get(`/${id}/report`, { date_format: 'U' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id, status: 'LIVE', from: { id: harness.page }, records: { total_count: 1 } });
  expect(body.records.data).toMatchObject([{ error_code: 6208, timestamp: Math.floor(nowMs / 1000) }]);
  expect(body.times.duration_ms).toBeGreaterThanOrEqual(10_000);
  const rule = body.rules.find((each: { error_code: number }) => each.error_code === 6208);
  expect(rule).toMatchObject({ judged: 'fail', records: 1, count: 1 });
  expect(rule.broken_share).toBeGreaterThan(0.5);
  expect(body.rules.map((each: { error_code: number }) => each.error_code)).not.toContain(6102);
  expect((await harness.get(`/${id}/report`, {}, { token: harness.strangerToken })).status).toBe(403);
  expect((await harness.get(`/${id}`, { fields: 'health_status' })).body.health_status).toBe('no_data');
});

test('the report of an ended session has its encoder, settings and clock', async () => {
  const id = await harness.live();
  await harness.goLive(id);
  const last = {
    connected: false,
    encoder: 'OBS 32',
    videoCodec: 'H.264',
    width: 1_280,
    height: 720,
    bytesReceived: 9,
  };
  await harness.store.volatile.set(VOLATILE.lastStream(id), last, 3_600_000);
  harness.clock.advance(8_000);
  await harness.endTo(id, 'VOD');
  const ended = (await harness.get(`/${id}/report`)).body;
  harness.clock.advance(60_000);
  const later = (await harness.get(`/${id}/report`)).body;
  expect(later).toEqual(ended);
  expect(later).toMatchObject({
    status: 'VOD',
    health_status: 'no_data',
    encoder: 'OBS 32',
    settings: { video_codec: 'H.264', width: 1_280, height: 720 },
    connection: { stream_state: 'ended', bytes_received: 9, interruptions: 0, refused_publishes: 0 },
  });
  expect(later).not.toHaveProperty('health');
  const { broadcast_start_time: start, end_time: end, duration_ms: durationMs } = later.times;
  expect(durationMs).toBeGreaterThanOrEqual(8_000);
  expect(durationMs).toBeLessThan(60_000);
  expect(Math.abs(Date.parse(end) - Date.parse(start) - durationMs)).toBeLessThan(1_000);
});

test('several readers of one list each get their own links', async () => {
  const id = await harness.live();
  await store(id, [6208, 6210, 6208]);
  const path = `/${id}/errors`;
  const other = new URL(path, harness.url.replace('127.0.0.1', 'localhost')).href;
  const nextOf = async (url: string, query: Record<string, string>, token?: null) => {
    const { body } = await harness.get(url, { limit: '2', ...query }, token === null ? { token } : {});
    expect(codesOf(body)).toEqual([6208, 6210]);
    return new URL(body.paging.next);
  };
  for (const url of [path, other, path]) {
    const inUrl = await nextOf(url, { access_token: harness.token }, null);
    expect(inUrl.searchParams.get('access_token')).toBe(harness.token);
    const inHeader = await nextOf(url, {});
    expect(inHeader.searchParams.has('access_token')).toBe(false);
    expect([inUrl.host, inHeader.host]).toEqual(Array(2).fill(new URL(url, harness.url).host));
  }
});

test('health_status: no_data, good, warning, poor', async () => {
  const id = await harness.live();
  const statusWith = async (health: object, severities: readonly ('warning' | 'error')[] = []) => {
    const atMs = harness.clock.wallMs();
    const stream = { connected: true, atMs, streamTimeMs: 1_000, openErrors: severities.map(() => 6_208), ...health };
    await harness.store.volatile.set(VOLATILE.health(id), stream, 60_000);
    const entries = severities.map((severity, index) =>
      entry(id, 1, index + 1, { change: 'raised', body: recordBody(id, 1, index + 1, { severity }) }),
    );
    await harness.store.records.append(entries);
    return (await harness.get(`/${id}`, { fields: 'health_status' })).body.health_status;
  };
  expect((await harness.get(`/${id}`, { fields: 'health_status' })).body.health_status).toBe('no_data');
  // Values that outlive their stream.
  expect(await statusWith({})).toBe('no_data');
  await harness.goLive(id);
  expect(await statusWith({ streamTimeMs: 0 })).toBe('no_data');
  expect(await statusWith({ connected: false })).toBe('no_data');
  expect(await statusWith({})).toBe('good');
  expect(await statusWith({}, ['warning'])).toBe('warning');
  expect(await statusWith({}, ['warning', 'error'])).toBe('poor');
});
