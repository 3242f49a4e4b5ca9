/** Access control of playback, over HTTP and WebSocket. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { TICKET_MAX_MS } from '../../src/playback/context/limits.js';
import { Tickets } from '../../src/playback/tickets.js';
import { FlvViewer, type PlaybackHarness, playbackHarness } from '../support/playback-harness.js';
import { until } from '../support/store-harness.js';
import { synthStream } from '../support/synth-stream.js';

let harness: PlaybackHarness;
beforeAll(async () => {
  harness = await playbackHarness();
});
afterAll(() => harness.close());

const socketUrl = (path: string): string => harness.origin.replace('http', 'ws') + path;

async function refusal(url: string): Promise<number> {
  const socket = new WebSocket(url);
  const [, response] = await once(socket, 'unexpected-response');
  socket.on('error', () => undefined);
  socket.terminate();
  return response.statusCode;
}

describe('tickets', () => {
  const tickets = new Tickets(new Uint8Array(32).fill(1));
  const ticket = tickets.issue('12', 1_700_000_600_000);

  test.each([
    ['before expiry', ticket, '12', 1_700_000_000_000, true],
    ['at expiry', ticket, '12', 1_700_000_600_000, false],
    ['for another broadcast', ticket, '13', 1_700_000_000_000, false],
    ['with a changed expiry', ticket.replace(/^./, 'z'), '12', 1_700_000_000_000, false],
    [
      'with a changed signature',
      ticket.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      '12',
      1_700_000_000_000,
      false,
    ],
    ['truncated', ticket.slice(0, -1), '12', 1_700_000_000_000, false],
    ['empty', '', '12', 1_700_000_000_000, false],
    ['too far ahead', ticket, '12', 1_700_000_600_000 - TICKET_MAX_MS - 1, false],
  ])('%s', (_what, offered, id, nowMs, opens) => {
    expect(tickets.opens(offered, id, nowMs)).toBe(opens);
  });

  test('rejects a ticket signed with another key', () => {
    expect(new Tickets(new Uint8Array(32)).opens(ticket, '12', 1_700_000_000_000)).toBe(false);
  });
});

test.each(['/playback/7.flv', '/playback/7/index.m3u8', '/playback/7/0.ts', '/playback/7'])(
  '%s needs a ticket or a token',
  async (path) => {
    harness.begin('7');
    const other = harness.playback.ticket('8', Date.now() + 60_000);
    const late = harness.playback.ticket('7', Date.now() - 1_000);
    for (const query of ['', '?ticket=', `?ticket=${other}`, `?ticket=${late}`]) {
      expect((await fetch(harness.origin + path + query)).status).toBe(403);
      const status = await refusal(socketUrl(path + query));
      expect(status).toBe(path.endsWith('.flv') ? 403 : 400);
    }
    expect(harness.streams.get('7')!.taps.size).toBe(0);
    expect(harness.playback.childStarts).toBe(0);
  },
);

test('a token gives a ticket, a ticket does not; both open the stream', async () => {
  const stream = harness.begin('7');
  const answer = await fetch(`${harness.origin}/playback/7`, { headers: { authorization: harness.token } });
  const body = (await answer.json()) as Record<string, string>;
  expect(body).toEqual({
    ticket: expect.any(String),
    expires: expect.stringMatching(/^\d{4}-.*Z$/),
    flv_path: `/playback/7.flv?ticket=${body.ticket}`,
    hls_path: `/playback/7/index.m3u8?ticket=${body.ticket}`,
  });
  expect((await fetch(`${harness.origin}/playback/7?ticket=${body.ticket}`)).status).toBe(403);
  const viewers = [
    new FlvViewer(harness.origin + body.flv_path),
    new FlvViewer(`${harness.origin}/playback/7.flv`, { authorization: harness.token }),
  ];
  await until(() => stream.taps.size === 1);
  stream.send(synthStream({ durationMs: 1_000 }));
  for (const viewer of viewers) await viewer.until(() => viewer.frames.length === 30);
  for (const viewer of viewers) viewer.leave();
});

test('ends streams and refuses tickets once the token that they were issued to ends', async () => {
  const stream = harness.begin('7');
  const answer = await fetch(`${harness.origin}/playback/7`, { headers: { authorization: harness.token } });
  const byToken = (await answer.json()) as Record<string, string>;
  const other = harness.playback.links('7', { tokenId: '2' }).flv;
  const [viewer, kept] = [new FlvViewer(harness.origin + byToken.flv_path), new FlvViewer(harness.origin + other)];
  const socket = new WebSocket(socketUrl(harness.playback.links('7', { tokenId: '1' }).flv));
  await once(socket, 'open');
  await until(() => stream.taps.size === 1);
  stream.send(synthStream({ durationMs: 1_000 }));
  for (const each of [viewer, kept]) await each.until(() => each.frames.length === 30);
  const closed = once(socket, 'close');
  harness.endToken('1');
  await Promise.all([viewer.until(() => viewer.ended), closed]);
  expect((await fetch(harness.origin + byToken.flv_path)).status).toBe(403);
  expect((await fetch(harness.origin + byToken.hls_path)).status).toBe(403);
  expect(kept.ended).toBe(false);
  kept.leave();
});

test('a ticket names its token under the signature', () => {
  const tickets = new Tickets(new Uint8Array(32).fill(1));
  const ticket = tickets.issue('12', 1_700_000_600_000, '34');
  expect(tickets.read(ticket, '12', 0)).toEqual({ endMs: 1_700_000_600_000, tokenId: '34' });
  expect(tickets.read(ticket.replace('.34.', '.35.'), '12', 0)).toBeUndefined();
  expect(tickets.read(ticket.replace('.34.', '.'), '12', 0)).toBeUndefined();
});

test('refuses other methods and paths; allows cross-origin requests', async () => {
  const url = harness.flvUrl('7');
  expect((await fetch(url, { method: 'POST', body: 'FLV' })).status).toBe(405);
  for (const path of [
    '/playback/',
    '/playback/x.flv',
    '/playback/7/../8.flv',
    '/playback/7/x.ts',
    '/playback/7.flv/',
  ]) {
    expect((await fetch(harness.origin + path)).status).toBe(path.includes('..') ? 403 : 404);
  }
  const preflight = await fetch(url, { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
});

describe('over WebSocket', () => {
  async function open(): Promise<{ socket: WebSocket; bytes: () => Buffer }> {
    const socket = new WebSocket(socketUrl(harness.playback.links('7').flv));
    const messages: Buffer[] = [];
    socket.on('message', (data) => messages.push(data as Buffer));
    await once(socket, 'open');
    return { socket, bytes: () => Buffer.concat(messages) };
  }

  test('carries the same tags as HTTP, even across a restart of the child', async () => {
    const stream = harness.begin('7');
    const { socket, bytes } = await open();
    const viewer = new FlvViewer(harness.flvUrl('7'));
    await until(() => harness.playback.viewers('7').now === 2);
    const messages = [...synthStream({ durationMs: 4_000 })];
    const half = messages.filter(({ timestampMs }) => timestampMs < 1_500);
    stream.send(half);
    await viewer.until(() => viewer.frames.length === 45);
    process.kill(harness.childPid(), 'SIGKILL');
    const more = messages.filter(({ timestampMs }) => timestampMs >= 1_500 && timestampMs < 2_000);
    stream.send(more);
    await viewer.until(() => viewer.frames.length === 60);
    stream.send(messages.slice(half.length + more.length));
    await viewer.until(() => viewer.frames.length === 120);
    const over = new FlvBytes();
    await until(() => over.read(bytes()).frames === 120);
    expect(over.times).toEqual(viewer.frames.map(({ timestampMs }) => timestampMs));
    const pong = once(socket, 'pong');
    socket.ping('x');
    expect(String((await pong)[0])).toBe('x');
    const closed = once(socket, 'close');
    socket.close(1000);
    expect((await closed)[0]).toBe(1000);
    await until(() => harness.playback.viewers('7').now === 1);
    viewer.leave();
  });

  test.each([
    ['text', 'publish me'],
    ['bytes', Buffer.alloc(70_000, 0x46)],
  ])('drops a viewer that sends %s', async (_what, said) => {
    const stream = harness.begin('7');
    const { socket } = await open();
    await until(() => stream.taps.size === 1);
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.send(said);
    expect((await closed)[0]).toBe(1006);
    await until(() => harness.playback.viewers('7').now === 0);
  });

  test('a viewer that requests the subprotocol of publishers does not become one', async () => {
    const stream = harness.begin('7');
    const socket = new WebSocket(socketUrl(harness.playback.links('7').flv), 'publisher');
    // The server selects no subprotocol, which this client treats as a failure.
    const [failure] = await once(socket, 'error');
    expect(failure.message).toContain('subprotocol');
    const viewer = new FlvViewer(harness.flvUrl('7'));
    await until(() => stream.taps.size === 1);
    stream.send(synthStream({ durationMs: 1_000 }));
    await viewer.until(() => viewer.frames.length === 30);
    viewer.leave();
  });

  test('the end of the broadcast closes the connection cleanly', async () => {
    const stream = harness.begin('7');
    const { socket } = await open();
    await until(() => stream.taps.size === 1);
    const closed = once(socket, 'close');
    harness.playback.ended('7');
    expect((await closed)[0]).toBe(1000);
  });
});

/** Tags of an FLV stream received in WebSocket messages. */
class FlvBytes {
  times: number[] = [];

  get frames(): number {
    return this.times.length;
  }

  read(bytes: Buffer): this {
    this.times = [];
    for (let at = 13; at + 11 <= bytes.length; ) {
      const size = bytes.readUIntBE(at + 1, 3);
      if (bytes[at] === 9 && bytes[at + 12] === 1) this.times.push(bytes.readUIntBE(at + 4, 3));
      at += 11 + size + 4;
    }
    return this;
  }
}
