/** Deletes a live video, and its Video, in every state of its broadcast: the rows of docs/lifecycle.md on a running server. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { DELETIONS, type DeletionRow } from '../support/lifecycle-document.js';
import { makeMedia } from '../support/media-files.js';
import { Publisher } from '../support/publisher.js';
import { readClip } from '../support/returning-publisher.js';
import type { SynthMessage } from '../support/synth-stream.js';

const NOT_RECORDED = /, not recorded$/;
/** Takes an hour to come about: `test/api/live-videos.test.ts` has it. */
const SLOW = 'SCHEDULED_EXPIRED';
const DELETED = 'The live video was deleted.';
const REJECTED = 'NetStream.Publish.Rejected';

let recording: Airlock;
let plain: Airlock;
let clip: SynthMessage[];
const ended: Broadcast[] = [];
const kept: Broadcast[] = [];
beforeAll(async () => {
  // Tests stop the media process, which must not end for want of work before.
  const env = { AIRLOCK_MEDIA_IDLE_S: '0' };
  [recording, plain] = await Promise.all([Airlock.start(env), Airlock.start({ ...env, AIRLOCK_RECORD: 'off' })]);
  for (const earlier of [ended, kept]) earlier.length = 0;
  const options = ['-flvflags', 'no_duration_filesize'];
  clip = readClip(makeMedia(join(recording.folder, 'clip.flv'), { seconds: 1, options }));
  for (const _ of ['by its own id', 'by the id of its Video']) {
    const broadcast = await goneLive(recording);
    await recording.post(`/${broadcast.id}`, { end_live_video: 'true' });
    ended.push(broadcast);
  }
});
afterAll(() => Promise.all([recording.stop(), plain.stop()]));

interface Broadcast {
  readonly server: Airlock;
  readonly id: string;
  readonly video: string;
  readonly publisher?: Publisher | undefined;
  /** Lets the media process go on. */
  readonly goOn: () => void;
}

const statusOf = async ({ server, id }: Pick<Broadcast, 'server' | 'id'>): Promise<string> =>
  (await server.get(`/${id}`, { fields: 'status' })).status;

const soon = () => ({ planned_start_time: String(Math.round(Date.now() / 1_000) + 86_400) });

/** A broadcast in this state, which lasts until `goOn`. */
async function broadcastIn(state: string): Promise<Broadcast> {
  const server = NOT_RECORDED.test(state) ? plain : recording;
  const [status = '', more = ''] = state.split(', ');
  if (status === 'UNPUBLISHED') return before(server, { status }, more === 'with a preview');
  if (status.startsWith('SCHEDULED_')) return scheduled(server, status);
  if (status === 'VOD') return processed();
  const live = await goneLive(server);
  if (more === 'interrupted') return interrupted(live);
  if (status === 'LIVE') return live;
  return over(live, status);
}

async function before(server: Airlock, params: Record<string, string>, isSending: boolean): Promise<Broadcast> {
  const { id, key } = await server.createLive(params);
  const video = (await server.get(`/${id}`, { fields: 'video' })).video.id;
  const publisher = isSending ? await Publisher.open(server, key) : undefined;
  await publisher?.send(clip);
  return { server, id, video, publisher, goOn: () => undefined };
}

async function scheduled(server: Airlock, status: string): Promise<Broadcast> {
  const made = await before(server, { status: 'SCHEDULED_UNPUBLISHED', ...soon() }, false);
  if (status !== 'SCHEDULED_UNPUBLISHED') await server.post(`/${made.id}`, { status });
  expect(await statusOf(made)).toBe(status);
  return made;
}

async function goneLive(server: Airlock): Promise<Broadcast> {
  const live = await before(server, { status: 'LIVE_NOW' }, true);
  await server.until(
    () => statusOf(live),
    (now) => now === 'LIVE',
  );
  return live;
}

/** One of those that ended before the first test. */
async function processed(): Promise<Broadcast> {
  const broadcast = ended.pop();
  if (broadcast === undefined) throw new Error('no other broadcast has ended');
  await recording.until(
    () => statusOf(broadcast),
    (now) => now === 'VOD',
  );
  return broadcast;
}

async function interrupted(live: Broadcast): Promise<Broadcast> {
  live.publisher?.cut();
  await live.server.until(
    async () => (await live.server.get(`/${live.id}/errors`)).data,
    (rows: { error_code: number }[]) => rows.some(({ error_code }) => error_code === 6503),
  );
  return live;
}

/** The media process stands still in that state: before it has the recording, or while it processes it. */
async function over(live: Broadcast, status: string): Promise<Broadcast> {
  const { server, id } = live;
  const media = server.pidOf('media');
  const goOn = () => void process.kill(media, 'SIGCONT');
  process.kill(media, 'SIGSTOP');
  await server.post(`/${id}`, { end_live_video: 'true' });
  if (status === 'LIVE_STOPPED') return { ...live, goOn };
  goOn();
  await server.until(
    () => statusOf(live),
    (now) => now === status || now === 'VOD',
  );
  process.kill(media, 'SIGSTOP');
  if ((await statusOf(live)) === status) return { ...live, goOn };
  // It was through before it stood still.
  goOn();
  return broadcastIn(status);
}

async function isGone({ server }: Broadcast, id: string): Promise<boolean> {
  return (await server.request('GET', `/${id}`)).status === 400;
}

/** The Video has its recording, as long as the clip. */
async function hasRecording({ server, video }: Broadcast): Promise<void> {
  const { source, length } = await server.until(
    () => server.get(`/${video}`, { fields: 'status,source,length' }),
    (body) => body.status?.video_status === 'ready' && body.source !== undefined,
  );
  expect(Math.abs(length - 1)).toBeLessThan(0.5);
  expect((await fetch(source, { headers: { range: 'bytes=0-9' } })).status).toBe(206);
}

const asks = (row: DeletionRow) =>
  [
    { asked: 'live', expected: row.live },
    { asked: 'video', expected: row.video },
  ] as const;
type Ask = ReturnType<typeof asks>[number];

/** Of refusals, which change nothing. */
const isRefusal = ({ expected }: Ask): boolean => expected.startsWith('LIVE_VIDEO__');

async function refused({ asked, expected }: Ask, broadcast: Broadcast): Promise<void> {
  const { server, id, video, publisher } = broadcast;
  const status = await statusOf(broadcast);
  const { body } = await server.request('DELETE', `/${asked === 'live' ? id : video}`);
  expect(body.error).toMatchObject({ error_subcode: expected });
  expect(await statusOf(broadcast)).toBe(status);
  expect([await isGone(broadcast, id), await isGone(broadcast, video)]).toEqual([false, false]);
  if (status === 'LIVE' && publisher?.closed === false)
    expect(publisher.statuses.map(({ code }) => code)).not.toContain(REJECTED);
}

async function done({ asked, expected }: Ask, broadcast: Broadcast): Promise<void> {
  const { server, id, video, publisher } = broadcast;
  const isHeard = publisher?.closed === false && !/^(LIVE_STOPPED|VOD)$/.test(await statusOf(broadcast));
  const { body } = await server.request('DELETE', `/${asked === 'live' ? id : video}`);
  const told = asked === 'video' ? { deleted_live_video_id: id } : {};
  expect(body).toEqual({ success: true, ...(expected === 'both' ? told : { kept_video_id: video }) });
  expect([await isGone(broadcast, id), await isGone(broadcast, video)]).toEqual([true, expected === 'both']);
  if (isHeard) expect((await publisher.status(REJECTED)).description).toContain(DELETED);
  broadcast.goOn();
  if (expected !== 'both') kept.push(broadcast);
  else expect(existsSync(join(server.folder, 'data', 'recordings', id))).toBe(false);
}

async function expectRow(row: DeletionRow): Promise<void> {
  const [refusals, others] = [asks(row).filter(isRefusal), asks(row).filter((ask) => !isRefusal(ask))];
  const first = await broadcastIn(row.state);
  expect(await statusOf(first)).toBe(row.state.split(', ')[0]);
  for (const ask of refusals) await refused(ask, first);
  if (others.length === 0) {
    first.goOn();
    kept.push(first);
  }
  for (const [number, ask] of others.entries()) await done(ask, number === 0 ? first : await broadcastIn(row.state));
}

for (const row of DELETIONS.filter(({ state }) => state !== SLOW))
  test(`${row.state}: by its own id ${row.live}, by the id of its Video ${row.video}`, () => expectRow(row));

test('each Video that stayed has its recording', async () => {
  expect(kept.length).toBeGreaterThanOrEqual(5);
  for (const broadcast of kept) await hasRecording(broadcast);
});
