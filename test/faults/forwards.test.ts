/** Forwards under faults of their targets and of the processes of the server. */

import { Airlock } from '../support/airlock.js';
import { Publisher, paced } from '../support/publisher.js';
import { RtmpTarget, type TakenMessage } from '../support/rtmp-target.js';
import { type SynthOptions, synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
let rtmp: RtmpTarget;
const publishers: Publisher[] = [];

beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535' });
}, 60_000);
beforeEach(async () => {
  rtmp = await new RtmpTarget().listen();
});
afterEach(async () => {
  for (const publisher of publishers.splice(0)) publisher.cut();
  await rtmp.close();
});
afterAll(() => airlock.stop(), 60_000);

const media = (messages: readonly TakenMessage[]) => messages.filter(({ kind }) => kind !== 'data');

async function forwarded() {
  const live = await airlock.createLive();
  const { id } = await airlock.post(`/${live.id}/forwards`, { url: rtmp.url(), stream_key: 'abc', name: 'Origin' });
  return { live, id };
}

/** Begins to send in real time; tries again while there is no process that receives. */
async function send(key: string, options: SynthOptions = {}): Promise<void> {
  const publisher = await airlock.until(
    () => Publisher.open(airlock, key).catch(() => undefined),
    (opened) => opened?.statuses[0]?.code === 'NetStream.Publish.Start',
  );
  if (publisher === undefined) return;
  publishers.push(publisher);
  void publisher.send(paced(synthStream({ durationMs: 60_000, ...options })));
}

const stateOf = (id: string, state: string) =>
  airlock.until(
    () => airlock.get(`/${id}`),
    (forward) => forward.state === state,
  );
/** Records that are not of the forward. */
const othersOf = async (id: string) =>
  (await airlock.errorsButPace(id)).map(({ error_code }) => error_code).filter((code) => code < 6511 || code > 6513);

test('a target that takes nothing is left after 10 s, and costs the broadcast nothing', async () => {
  rtmp.manner = ({ session, socket }, { requestId }) => {
    session.acceptPublish(requestId);
    socket.pause();
  };
  const { live, id } = await forwarded();
  // The buffers of the kernel take megabytes before they are full.
  await send(live.key, { videoKbps: 40_000 });
  expect(await stateOf(id, 'retrying')).toMatchObject({ reason: 'the target took nothing for 10 s' });
  const [record] = await airlock.until(
    () => airlock.errors(live.id, { error_code: '6512' }),
    (found) => found.length > 0,
  );
  expect(record).toMatchObject({ forward: id });
  const { stream_health: health } = (await airlock.get(`/${live.id}/input_streams`)).data[0];
  expect(health.video_framerate).toBeGreaterThan(25);
}, 60_000);

test('a forward process that stands still costs the broadcast nothing, and is replaced', async () => {
  const { live, id } = await forwarded();
  await send(live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  process.kill(airlock.pidOf('forward'), 'SIGSTOP');
  await rtmp.until(() => rtmp.connections.length > 1 && media(rtmp.messages).length > 50);
  await stateOf(id, 'sending');
  expect(await othersOf(live.id)).toEqual([]);
}, 60_000);

test('after the end of an ingest process the encoder that returns is one stream to the target', async () => {
  const { live, id } = await forwarded();
  await send(live.key);
  await rtmp.until(() => media(rtmp.messages).length > 50);
  process.kill(airlock.pidOf('ingest'), 'SIGKILL');
  await stateOf(id, 'waiting');
  const before = rtmp.messages.length;
  await send(live.key);
  await rtmp.until(() => rtmp.messages.length > before + 50);
  expect(rtmp.connections).toHaveLength(1);
}, 60_000);
