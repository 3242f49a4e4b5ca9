/** Publishers that the server sends away when it stops, and that return to the next process. */
import { Airlock } from './airlock.js';
import { Publisher } from './publisher.js';
import { synthStream } from './synth-stream.js';

/** As encoders do, connects again when the connection is closed before the answer: a hundred handshakes at once are slow. */
export const open = (airlock: Airlock, key: string): Promise<Publisher> =>
  airlock.until(
    () => Publisher.open(airlock, key),
    ({ statuses }) => statuses.length > 0,
  );
const stream = () =>
  synthStream({ durationMs: 1500, channels: 1, videoKbps: 600, width: 640, height: 360, levelIdc: 30 });

/** Connects the publishers, ends the server by SIGTERM, and checks that each reconnects to its broadcast and has its record once. */
export async function expectAllReturn(publishers: number): Promise<void> {
  const airlock = await Airlock.start({ AIRLOCK_RECORD: 'off', AIRLOCK_LOG_LEVEL: 'warn' });
  const lives = [];
  for (let i = 0; i < publishers; i++) lives.push(await airlock.createLive());
  const before = await Promise.all(lives.map(({ key }) => open(airlock, key)));
  await Promise.all(before.map((publisher) => publisher.send(stream())));
  await Promise.all(before.map((publisher) => publisher.status('NetStream.Publish.Violation')));

  expect(await airlock.kill('SIGTERM')).toBe(0);
  for (const publisher of before) {
    await publisher.until(() => publisher.closed);
    expect(publisher.statuses.at(-1)).toMatchObject({
      level: 'error',
      description: expect.stringMatching(/reconnect/i),
    });
  }

  await airlock.restart();
  const after = await Promise.all(lives.map(({ key }) => open(airlock, key)));
  expect(after.map((publisher) => publisher.statuses[0]!.code)).toEqual(lives.map(() => 'NetStream.Publish.Start'));
  await Promise.all(after.map((publisher) => publisher.send(stream())));
  for (const { id } of lives) {
    const rows = await airlock.errorsButPace(id);
    expect(rows.map((row) => [row.sequence, row.error_code])).toEqual([[1, 6304]]);
    expect((await airlock.get(`/${id}`, { fields: 'status' })).status).toBe('LIVE');
  }
  await Promise.all(after.map((publisher) => publisher.stop()));
  await airlock.stop();
}
