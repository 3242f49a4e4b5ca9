/** A running broadcast that two servers share, while their Redis fails over to another node. */
import { Airlock } from './airlock.js';
import { Publisher, paced } from './publisher.js';
import { synthStream } from './synth-stream.js';

const SMALL = { videoKbps: 300, width: 640, height: 360, levelIdc: 30 };
/** Of the running test. */
const servers: Airlock[] = [];

export async function twoServers(url: string): Promise<[Airlock, Airlock]> {
  const env = {
    REDIS_URL: url,
    AIRLOCK_KEY_SECRET: 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT',
    AIRLOCK_RECORD: 'off',
    AIRLOCK_LOG_LEVEL: 'warn',
  };
  const first = await Airlock.start(env);
  servers.push(first);
  const second = await Airlock.start(env);
  servers.push(second);
  return [first, second];
}

export const stopServers = async (): Promise<void> => {
  await Promise.all(servers.splice(0).map((airlock) => airlock.stop()));
};

/**
 * A broadcast with one fault before the outage, one in it and one behind it: all are stored in
 * order, the encoder stays connected, and no other encoder gets its key.
 */
export async function outlives(
  [first, second]: readonly [Airlock, Airlock],
  outage: (liveVideoId: string) => Promise<void>,
): Promise<void> {
  const live = await first.createLive();
  const publisher = await Publisher.open(first, live.key);
  const changes = [
    { atMs: 4_000, width: 426, height: 240 },
    { atMs: 20_000, width: 640, height: 360, channels: 1 },
  ];
  const sending = publisher.send(paced(synthStream({ ...SMALL, durationMs: 120_000, changes })));
  await first.until(
    () => first.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  await outage(live.id);
  const meanwhile = await second.request('GET', `/${live.id}/errors`);
  if (meanwhile.status !== 200) expect(meanwhile.body.error).toMatchObject({ is_transient: true });
  await publisher.status('NetStream.Publish.Violation', (status) => status.fields.error_code === 6403);
  const busy = await second.until(
    () => Publisher.open(second, live.key),
    (other) => !/try again/i.test(other.statuses[0]?.description ?? 'try again'),
  );
  expect(busy.statuses[0]).toMatchObject({ code: 'NetStream.Publish.BadName' });
  await publisher.status('NetStream.Publish.Violation', (status) => status.fields.error_code === 6304);
  expect(publisher.closed).toBe(false);
  await publisher.stop();
  await sending;
  const answer = await second.until(
    () => second.request('GET', `/${live.id}/errors`, { limit: '100' }),
    ({ body }) => body.data?.some((row: { error_code: number }) => row.error_code === 6304),
  );
  const rows: { sequence: number; error_code: number }[] = answer.body.data.reverse();
  expect(rows.map((row) => row.sequence)).toEqual(rows.map((_row, index) => index + 1));
  const codes = rows.map((row) => row.error_code);
  expect(codes.filter((code) => code === 6403 || code === 6304)).toEqual([6403, 6304]);
  const status = await second.until(
    () => second.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status !== undefined,
  );
  expect(status.status).toBe('LIVE');
}
