/** Viewers of a broadcast that another server receives. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { HLS_LIMITS, TICKET_MS } from '../../src/playback/context/limits.js';
import { inFull } from '../support/in-full.js';
import { FlvViewer, type PlaybackHarness, playbackHarness } from '../support/playback-harness.js';
import { until } from '../support/store-harness.js';
import { synthStream } from '../support/synth-stream.js';

/** The server that receives all broadcasts; viewers connect to the other one. */
let there: PlaybackHarness;
let here: PlaybackHarness;
let home: string | undefined;
beforeAll(async () => {
  there = await playbackHarness(undefined, () => here.origin);
  here = await playbackHarness(undefined, () => home);
});
beforeEach(() => {
  home = there.origin;
});
afterAll(async () => {
  await here.close();
  await there.close();
});

test('forwards viewers to the other server, which counts them', async () => {
  const stream = there.begin('7');
  const viewer = new FlvViewer(here.flvUrl('7'));
  await until(() => there.playback.viewers('7').now === 1);
  stream.send(synthStream({ durationMs: 2_000 }));
  await viewer.until(() => viewer.frames.length === 60);
  expect(here.playback.forwarded).toBe(1);
  expect(here.playback.viewers('7').now).toBe(0);
  expect(here.playback.childStarts).toBe(0);
  viewer.leave();
  await until(() => there.playback.viewers('7').now === 0 && here.playback.forwarded === 0);
});

test('forwards a WebSocket in both directions', async () => {
  const stream = there.begin('8');
  const socket = new WebSocket(here.flvUrl('8').replace('http', 'ws'));
  let bytes = 0;
  socket.on('message', (data: Buffer) => {
    bytes += data.length;
  });
  await once(socket, 'open');
  stream.send(synthStream({ durationMs: 2_000 }));
  await until(() => bytes > 10_000);
  const pong = once(socket, 'pong');
  socket.ping('x');
  expect(String((await pong)[0])).toBe('x');
  expect(here.playback.forwarded).toBe(1);
  const closed = once(socket, 'close');
  there.playback.ended('8');
  expect((await closed)[0]).toBe(1000);
  await until(() => here.playback.forwarded === 0);
});

test('a status of the other server that cannot be written is 502', async () => {
  const other = createServer((request) => void request.socket.end('HTTP/1.1 042 X\r\n\r\n'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  home = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect((await fetch(`${here.origin}/playback/9.flv`, { headers: { authorization: here.token } })).status).toBe(502);
  other.close();
});

test('forwards a ticket for the one broadcast in place of the token', async () => {
  there.begin('9');
  const seen: (string | undefined)[][] = [];
  const spy = createServer((request, response) => {
    seen.push([request.url, request.headers.authorization]);
    response.writeHead(404).end();
  });
  spy.listen(0, '127.0.0.1');
  await once(spy, 'listening');
  home = `http://127.0.0.1:${(spy.address() as AddressInfo).port}`;
  const headers = { authorization: here.token };
  for (const query of ['', '?ticket=bad']) {
    expect((await fetch(`${here.origin}/playback/9.flv${query}`, { headers })).status).toBe(404);
  }
  const ticket = /ticket=(\S+)/.exec(seen[0]?.[0] ?? '')?.[1] ?? '';
  expect(seen).toEqual([
    [`/playback/9.flv?ticket=${ticket}`, undefined],
    [`/playback/9.flv?ticket=${ticket}`, undefined],
  ]);
  const passedOn = { 'x-airlock-forwarded': '1' };
  const flv = new FlvViewer(`${there.origin}/playback/9.flv?ticket=${ticket}`, passedOn);
  await until(() => there.playback.viewers('9').now === 1);
  flv.leave();
  spy.closeAllConnections();
  spy.close();
});

test('forwards no request without a ticket or a token', async () => {
  let asked = 0;
  const spy = createServer((_request, response) => {
    asked++;
    response.end();
  });
  spy.listen(0, '127.0.0.1');
  await once(spy, 'listening');
  home = `http://127.0.0.1:${(spy.address() as AddressInfo).port}`;
  const late = here.playback.ticket('7', Date.now() - 1_000);
  const other = here.playback.ticket('8', Date.now() + 60_000);
  for (const query of ['', `?ticket=${late}`, `?ticket=${other}`]) {
    expect((await fetch(`${here.origin}/playback/7.flv${query}`)).status).toBe(403);
  }
  for (const query of ['', `?ticket=${other}`]) {
    expect((await fetch(`${here.origin}/playback/7/index.m3u8${query}`)).status).toBe(403);
  }
  expect(asked).toBe(0);
  // An expired ticket may be in use by a preview player, which only the other server knows.
  await fetch(`${here.origin}/playback/7/index.m3u8?ticket=${late}`);
  expect(asked).toBe(1);
  spy.close();
  spy.closeAllConnections();
});

test('forwards a request only once, so that no loop arises', async () => {
  // Each server takes the other one for the receiver.
  const answer = await fetch(here.flvUrl('404'));
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ error: { code: 404 } });
});

test('answers 503 with Retry-After while the other server is unreachable', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  home = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await new Promise((resolve) => gone.close(resolve));
  const answer = await fetch(here.flvUrl('7'));
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  const socket = new WebSocket(here.flvUrl('7').replace('http', 'ws'));
  socket.on('error', () => undefined);
  const [, refused] = await once(socket, 'unexpected-response');
  expect(refused.statusCode).toBe(503);
  socket.terminate();
  expect(here.playback.forwarded).toBe(0);
});

inFull('a forwarded viewer that does not read is dropped by the receiving server; others are not delayed', async () => {
  const stream = there.begin('10');
  const idle = new FlvViewer(here.flvUrl('10'));
  const busy = new FlvViewer(here.flvUrl('10'));
  await until(() => there.playback.viewers('10').now === 2);
  const messages = synthStream({ durationMs: 600_000, videoKbps: 8_000 });
  let sent = 0;
  const send = (count: number): void => {
    for (let left = count; left > 0; left--) {
      const { done, value } = messages.next();
      if (done === true) throw new Error('the stream is too short');
      stream.send([value]);
      if (value.kind === 'video' && value.payload[1] === 1) sent++;
    }
  };
  send(80);
  await idle.until(() => idle.frames.length > 10);
  idle.stopReading();
  while (there.playback.viewers('10').now === 2) {
    send(300);
    // All of it: a viewer that merely lags must not be dropped.
    await busy.until(() => busy.frames.length === sent);
  }
  expect(busy.ended).toBe(false);
  busy.leave();
  // Its socket stays open: unread data hides the end of the upstream connection.
  await until(() => here.playback.forwarded === 0, 18_000);
  idle.leave();
});

const STEP_MS = HLS_LIMITS.idleMs / 3;

test('the other server recognizes an HLS player by its ticket while it keeps requesting', async () => {
  const stream = there.begin('11');
  const asked = fetch(here.origin + here.playback.links('11').hls);
  await until(() => stream.taps.size === 1);
  // As much as is kept while the child has not started.
  stream.send(synthStream({ durationMs: 5_000 }));
  const answer = await asked;
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/vnd.apple.mpegurl']);
  const segment = /^\d+\.ts\?ticket=\S+$/m.exec(await answer.text())?.[0] ?? '';
  expect(there.playback.viewers('11').now).toBe(1);
  // A preview without requests for a while ends, so time passes in steps with a request in each.
  let media = await fetch(`${here.origin}/playback/11/${segment}`);
  for (let passedMs = 0; passedMs <= TICKET_MS; passedMs += STEP_MS) {
    await media.arrayBuffer();
    here.skip(STEP_MS);
    there.skip(STEP_MS);
    media = await fetch(`${here.origin}/playback/11/${segment}`);
  }
  expect([media.status, media.headers.get('content-type')]).toEqual([200, 'video/mp2t']);
  expect(new Uint8Array(await media.arrayBuffer())[0]).toBe(0x47);
});
