/** kill -9 of the server at random moments of several broadcasts. */
import { randomInt } from 'node:crypto';
import { setTimeout as later } from 'node:timers';
import type { Airlock } from './airlock.js';
import { Publisher } from './publisher.js';
import { synthStream } from './synth-stream.js';

const ENCODERS = 6;
export const VIOLATION = 'NetStream.Publish.Violation';
export const faulty = () =>
  synthStream({
    durationMs: 4_000,
    channels: 1,
    sampleRate: 32_000,
    videoKbps: 400,
    width: 640,
    height: 360,
    levelIdc: 30,
  });

export const pushedIds = (publisher: Publisher): string[] =>
  publisher.statuses.filter((status) => status.code === VIOLATION).map((status) => String(status.fields.id));

/** The server is killed that many times; every record that was pushed before is stored once. */
export async function expectKeptAcrossKills(airlock: Airlock, rounds: number): Promise<void> {
  const pushed = new Map<string, Set<string>>();
  const delays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const lives = await Promise.all(Array.from({ length: ENCODERS }, () => airlock.createLive()));
    const publishers = await Promise.all(lives.map(({ key }) => Publisher.open(airlock, key)));
    const sending = publishers.map((publisher) => publisher.send(faulty()));
    await Promise.race(publishers.map((publisher) => publisher.status(VIOLATION)));
    const delayMs = randomInt(0, 40);
    delays.push(delayMs);
    const killed = new Promise((resolve) => later(() => resolve(airlock.kill('SIGKILL')), delayMs));
    await Promise.all([killed, ...sending]);
    await Promise.all(publishers.map((publisher) => publisher.until(() => publisher.closed)));
    for (const [index, publisher] of publishers.entries())
      pushed.set(lives[index]?.id ?? '', new Set(pushedIds(publisher)));
    await airlock.restart();
  }
  for (const [id, ids] of pushed) {
    const rows = await airlock.errors(id);
    expect([delays, [...ids].filter((each) => !rows.some((row) => row.id === each))]).toEqual([delays, []]);
    expect(rows.map((row) => row.sequence)).toEqual(rows.map((_row, at) => rows.length - at));
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  }
  expect([...pushed.values()].reduce((sum, ids) => sum + ids.size, 0)).toBeGreaterThanOrEqual(rounds);
}
