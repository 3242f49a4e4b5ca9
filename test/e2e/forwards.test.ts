/** Broadcasts are passed on to other ingests, over sockets and between processes. */
import { serversOfEachTest } from '../support/airlock.js';
import { Publisher, paced } from '../support/publisher.js';
import { RtmpTarget, type TakenMessage } from '../support/rtmp-target.js';
import { type SynthMessage, synthStream } from '../support/synth-stream.js';

const start = serversOfEachTest();
const NETWORKS = { AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535' };

const media = (messages: readonly TakenMessage[]) => messages.filter(({ kind }) => kind !== 'data');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

test('sends what arrives, from the first key frame on, byte by byte', async () => {
  const airlock = await start(NETWORKS);
  const rtmp = await new RtmpTarget().listen();
  const live = await airlock.createLive();
  const { id } = await airlock.post(`/${live.id}/forwards`, { url: rtmp.url(), stream_key: 'abc', name: 'Origin' });
  const stream: SynthMessage[] = [...synthStream({ durationMs: 6_000 })];
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(paced(stream));
  const state = await airlock.until(
    () => airlock.get(`/${id}`),
    (each) => each.state === 'sending' && each.sent_kbps > 0,
  );
  expect(state).toMatchObject({ attempts: 0, remote: `127.0.0.1:${rtmp.port}`, dropped_ms: 0 });
  await sending;
  const wanted = stream.filter(({ kind }) => kind !== 'data');
  await rtmp.until(() => media(rtmp.messages).length >= wanted.length);
  expect(rtmp.connections).toHaveLength(1);
  expect(media(rtmp.messages).map(({ bytes }) => text(bytes))).toEqual(wanted.map(({ payload }) => text(payload)));
  publisher.cut();
  await rtmp.close();
}, 60_000);
