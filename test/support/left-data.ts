/** What a server leaves when all its processes are killed, and what a server of another version must find and go on with. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Airlock, ErrorRow } from './airlock.js';
import { pushedIds, VIOLATION } from './kills.js';
import { makeMedia } from './media-files.js';
import { Publisher, paced } from './publisher.js';
import { fetchStatus } from './sockets.js';
import { type SynthOptions, synthStream } from './synth-stream.js';

const run = promisify(execFile);

/** Fixed, so that no data folder holds a secret. */
export const KEY_SECRET = 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT';
const SMALL = { videoKbps: 300, width: 640, height: 360, levelIdc: 30 };
/** Mono for two seconds, then another sample rate: two records, the second of which only the journal has. */
const CHANGES: NonNullable<SynthOptions['changes']> = [
  { atMs: 2_000, channels: 1 },
  { atMs: 4_000, channels: 2 },
  { atMs: 6_000, sampleRate: 32_000 },
];

interface Event {
  readonly delivery: string;
  readonly id: string;
  /** The status, or the ID of the record. */
  readonly what: string;
}

/** Receives webhooks. It refuses them until it is opened. */
export class WebhookReceiver {
  isOpen = false;
  readonly events: Event[] = [];
  refused = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', async (request, response) => {
      const body = JSON.parse(await text(request));
      if (!this.isOpen) this.refused++;
      response.writeHead(this.isOpen ? 200 : 503).end();
      if (!this.isOpen) return;
      const delivery = String(request.headers['x-airlock-delivery']);
      for (const { changes } of body.entry)
        for (const { value } of changes)
          this.events.push({ delivery, id: value.id, what: value.error?.id ?? value.status });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebhookReceiver(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  of(liveVideoId: string): string[] {
    return this.events.filter(({ id }) => id === liveVideoId).map(({ what }) => what);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

export interface Left {
  /** Broadcast that was over, with its Video and its records, as they were read. */
  readonly over: { readonly id: string; readonly rows: readonly ErrorRow[]; readonly length: number };
  /** Broadcast that was received when the server was killed. */
  readonly running: { readonly id: string; readonly key: string; readonly pushed: readonly string[] };
  readonly upload: { readonly session: string; readonly video: string; readonly offset: number; readonly file: string };
  readonly tokens: { readonly valid: string; readonly revoked: string; readonly page: string };
}

/** Runs a command of the server's own version on its data folder. */
async function command(airlock: Airlock, ...args: string[]): Promise<Record<string, unknown>> {
  const more = ['--data-dir', join(airlock.folder, 'data'), '--format', 'json'];
  const env = { ...process.env, AIRLOCK_LOG_LEVEL: 'warn' };
  const { stdout } = await run(process.execPath, [airlock.main, ...args, ...more], { env });
  return JSON.parse(stdout);
}

/** The token of a page that is signed in, by a link. Later versions give none to a page: its session ends with the way back. */
async function signIn(airlock: Airlock, otherwise: string): Promise<string> {
  const link = String((await command(airlock, 'sign-in')).sign_in_url);
  const answer = await fetch(new URL('/dashboard/data/sign-in', airlock.quickstart.http_url), {
    method: 'POST',
    headers: { authorization: `SignIn ${link.slice(link.lastIndexOf('/') + 1)}` },
  });
  return answer.ok ? ((await answer.json()) as { token: string }).token : otherwise;
}

/** An upload in two parts: the second one is sent after the kill. */
async function transfer(airlock: Airlock, session: string, file: string, from: number, to?: number): Promise<string> {
  const body = new FormData();
  const fields = { upload_phase: 'transfer', upload_session_id: session, start_offset: String(from) };
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('video_file_chunk', new Blob([readFileSync(file).subarray(from, to)]), 'chunk');
  const url = new URL(`/${airlock.quickstart.page_id}/videos`, airlock.quickstart.http_url);
  const headers = { authorization: `Bearer ${airlock.quickstart.access_token}` };
  const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { start_offset: string };
  return answer.start_offset;
}

const videoOf = (airlock: Airlock, id: string) => airlock.get(`/${id}`, { fields: 'status,video{id,length,source}' });

/**
 * Fills the store and kills the server while it receives a stream. `stopStore` keeps the store from taking anything more: records
 * that are pushed after it are in the journal alone.
 */
export async function leave(airlock: Airlock, stopStore: () => void): Promise<Left> {
  const { page_id: page } = airlock.quickstart;
  const over = await airlock.createLive({ title: 'Over', stop_on_delete_stream: 'true' });
  const first = await Publisher.open(airlock, over.key);
  await first.send(paced(synthStream({ ...SMALL, durationMs: 3_000, channels: 1 })));
  await first.stop();
  const { video } = await airlock.until(
    () => videoOf(airlock, over.id),
    (body) => body.status === 'VOD' && body.video?.length > 0,
  );
  const rows = await airlock.errors(over.id);
  if (rows.length === 0) throw new Error('the broadcast that is over has no record');

  const valid = String((await command(airlock, 'token', 'issue', page, '--scopes', 'all', '--days', '3650')).token);
  const revoked = String((await command(airlock, 'token', 'issue', page, '--scopes', 'all', '--days', '3650')).token);
  await run(process.execPath, [airlock.main, 'token', 'revoke', revoked, '--data-dir', join(airlock.folder, 'data')]);
  const tokens = { valid, revoked, page: await signIn(airlock, valid) };

  const file = makeMedia(join(airlock.folder, 'upload.mp4'), { seconds: 3 });
  const size = readFileSync(file).length;
  const started = await airlock.post(`/${page}/videos`, { upload_phase: 'start', file_size: String(size) });
  const half = Math.floor(size / 2);
  const offset = Number(await transfer(airlock, started.upload_session_id, file, 0, half));
  const upload = { session: started.upload_session_id, video: started.video_id, offset, file };

  const live = await airlock.createLive({ title: 'Running' });
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(paced(synthStream({ ...SMALL, durationMs: 60_000, changes: CHANGES })));
  const records = async () => (await airlock.errors(live.id)).filter(({ error_code }) => error_code === 6304);
  await airlock.until(records, ([mono]) => mono?.cleared_time !== undefined);
  stopStore();
  await publisher.status(VIOLATION, ({ description }) => /^\[6303/.test(description));
  await Promise.all([airlock.kill('SIGKILL'), publisher.until(() => publisher.closed)]);
  await sending;
  return {
    over: { id: over.id, rows, length: video.length },
    running: { id: live.id, key: live.key, pushed: pushedIds(publisher) },
    upload,
    tokens,
  };
}

/** Another version serves what was finished: tokens that are valid, and the broadcast that was over, as it was read before. */
export async function expectKept(airlock: Airlock, { over, tokens }: Left, valid = [tokens.valid]): Promise<void> {
  for (const token of valid) {
    expect(await airlock.request('GET', `/${over.id}`, { fields: 'id' }, token)).toMatchObject({
      body: { id: over.id },
    });
  }
  expect((await airlock.request('GET', '/me', {}, tokens.revoked)).status).toBe(401);
  const rows = await airlock.errors(over.id);
  expect(common(rows, over.rows)).toEqual(common(over.rows, rows));
  const { video } = await videoOf(airlock, over.id);
  expect(video.length).toBe(over.length);
  expect(await fetchStatus(video.source)).toBe(200);
}

/** The records of the broadcast that was running: none is missing, also of those that the journal alone had. */
export async function expectPushedAreStored(airlock: Airlock, { running }: Left): Promise<void> {
  const stored = (await airlock.errors(running.id)).reverse();
  expect(stored.map(({ sequence }) => sequence)).toEqual(stored.map((_row, at) => at + 1));
  expect(stored.map(({ id }) => id)).toEqual(expect.arrayContaining([...running.pushed]));
  expect(stored.map(({ error_code }) => error_code)).toEqual(expect.arrayContaining([6303, 6304]));
}

/** Another version goes on with what was under way. */
export async function expectGoesOn(airlock: Airlock, left: Left): Promise<void> {
  const { running, upload, tokens } = left;
  await expectKept(airlock, left, [tokens.valid, tokens.page]);

  // The encoder comes back: one broadcast, and one recording.
  const publisher = await Publisher.open(airlock, running.key);
  expect(publisher.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  await publisher.send(paced(synthStream({ ...SMALL, durationMs: 3_000, keyFrameIntervalMs: 1_000 })));
  await publisher.stop();
  await expectPushedAreStored(airlock, left);
  await airlock.post(`/${running.id}`, { end_live_video: 'true' });
  const recorded = await airlock.until(
    () => videoOf(airlock, running.id),
    (body) => body.status === 'VOD' && body.video?.length > 0,
  );
  // Six seconds before the kill, three after it.
  expect(recorded.video.length).toBeGreaterThan(8);

  // The client of the upload sends the rest.
  const size = readFileSync(upload.file).length;
  expect(await transfer(airlock, upload.session, upload.file, upload.offset)).toBe(String(size));
  const finish = { upload_phase: 'finish', upload_session_id: upload.session };
  expect(await airlock.post(`/${airlock.quickstart.page_id}/videos`, finish)).toMatchObject({ success: true });
  await airlock.until(
    () => airlock.get(`/${upload.video}`, { fields: 'status,length' }),
    (body) => body.status.video_status === 'ready',
  );
}

/** Rows without what the later of the two versions added. */
function common(rows: readonly ErrorRow[], others: readonly ErrorRow[]): Record<string, unknown>[] {
  const isCommon = (name: string) => others.some((other) => name in other);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => isCommon(name))));
}

/** Events that no receiver had taken arrive in order, and what followed after them. */
export async function expectDelivered(airlock: Airlock, receiver: WebhookReceiver, left: Left): Promise<void> {
  const ids = left.over.rows.map(({ id }) => id);
  const done = await airlock.until(
    async () => [receiver.of(left.over.id), receiver.of(left.running.id)] as const,
    ([over, running]) => over.includes('VOD') && running.includes('VOD') && ids.every((id) => over.includes(id)),
  );
  const states = (events: readonly string[]) => events.filter((what) => !what.includes('_'));
  const moves = ['UNPUBLISHED', 'LIVE', 'PROCESSING', 'VOD'];
  expect(done.map((events) => [...new Set(states(events))])).toEqual([moves, moves]);
}
