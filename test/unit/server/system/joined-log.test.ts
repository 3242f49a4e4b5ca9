/** Lines of strangers: the first of a kind is written, the others are summed up. */
import { mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JoinedLog } from '../../../../src/ports/index.js';
import { JOINED_LIMITS, Joiner } from '../../../../src/server/system/joined-log.js';
import { createLog } from '../../../../src/server/system/log.js';
import { handClock, memoryLog } from '../../../support/store-harness.js';

const { periodMs, linesOfHolder } = JOINED_LIMITS;

function stand() {
  const log = memoryLog();
  const clock = handClock();
  const due: { readonly call: () => void; readonly ms: number }[] = [];
  const joiner = new Joiner({ log, clock, later: (call, ms) => due.push({ call, ms }) });
  const written = () => log.lines.filter(({ level }) => level !== 'debug');
  return { log, clock, due, joiner, joined: joiner.log(), written };
}

const refuse = (joined: JoinedLog, address: string, reason = 'unknown-key') =>
  joined.child({ address }).info({ reason, code: 'NetStream.Publish.BadName' }, 'publish refused: Unknown stream key.');

test('one fault of a stranger is one line with its reason, and nothing is summed up', () => {
  const { joined, joiner, written, due } = stand();
  refuse(joined, '192.0.2.1');
  joined.warn({ address: '192.0.2.1', error_code: 'RTMP_BAD_VERSION' }, 'The version is 71.');
  joiner.sumUp();
  expect(written()).toEqual([
    {
      level: 'info',
      fields: { reason: 'unknown-key', code: 'NetStream.Publish.BadName' },
      message: 'publish refused: Unknown stream key.',
    },
    {
      level: 'warn',
      fields: { address: '192.0.2.1', error_code: 'RTMP_BAD_VERSION' },
      message: 'The version is 71.',
    },
  ]);
  expect(due).toEqual([]);
});

test('further lines of a minute are one line with their number, groups, addresses and codes, at the worst level', () => {
  const { joined, clock, due, written } = stand();
  for (let n = 0; n < 10; n++) {
    clock.advance(1_000);
    refuse(joined, `2001:db8::${n}`);
    refuse(joined, '192.0.2.1');
    joined.warn({ address: '192.0.2.1', error_code: 'RTMP_BAD_VERSION' }, `The version is ${n}.`);
  }
  expect(written()).toHaveLength(3);
  expect(due.map(({ ms }) => ms)).toEqual([periodMs - 1_000]);
  due[0]?.call();
  expect(written()[3]).toEqual({
    level: 'warn',
    fields: {
      lines: 27,
      groups: 2,
      addresses: ['2001:db8::1', '192.0.2.1', '2001:db8::2', '2001:db8::3', '2001:db8::4'],
      kinds: { 'publish refused: unknown-key, NetStream.Publish.BadName': 18, RTMP_BAD_VERSION: 9 },
    },
    message: 'further lines of the last minute, joined',
  });
});

test('a kind that goes on stays joined, and is written again after a minute without it', () => {
  const { joined, clock, written } = stand();
  const refusals = () => written().filter(({ message }) => message.startsWith('publish refused')).length;
  for (let minute = 0; minute < 5; minute++) {
    refuse(joined, '192.0.2.1');
    clock.advance(periodMs);
  }
  expect(refusals()).toBe(1);
  clock.advance(2 * periodMs);
  refuse(joined, '192.0.2.1');
  expect(refusals()).toBe(2);
});

test('with the level debug each line is written', () => {
  const { joined, log } = stand();
  for (let n = 0; n < 10; n++) refuse(joined, '192.0.2.1');
  expect(log.lines.filter(({ message }) => message.startsWith('publish refused'))).toHaveLength(10);
});

test('lines about the holder of a valid key are written one by one, up to a bound a minute, whatever strangers do', () => {
  const { joined, clock, written } = stand();
  for (let n = 0; n < 10_000; n++) refuse(joined, `198.${n >> 8}.${n & 0xff}.1`);
  const before = written().length;
  const owners = joined.child({ address: '192.0.2.1' });
  for (let n = 0; n < linesOfHolder + 20; n++) owners.about('1').info({ reason: 'ended' }, 'publish refused: over');
  owners.about('2').info({ reason: 'ended' }, 'publish refused: over');
  expect(written().length - before).toBe(linesOfHolder + 1);
  clock.advance(periodMs);
  owners.about('1').info({ reason: 'ended' }, 'publish refused: over');
  expect(written().at(-1)?.message).toBe('publish refused: over');
});

test('a process under attack from thousands of networks writes less than half a megabyte in an hour', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-log-'));
  const file = join(folder, 'log');
  const log = createLog({ level: 'info', base: { role: 'ingest' }, destination: openSync(file, 'w') });
  const clock = handClock();
  const joined = new Joiner({ log, clock, later: () => undefined }).log();
  const fault = new Error('an internal fault');
  let lines = 0;
  // 20 connections a second, four lines each: 78 MB if each were written.
  for (let n = 0; n < 3_600 * 20; n++) {
    clock.advance(50);
    const address = `${10 + (n % 50)}.${n % 100}.${n % 7}.${n % 250}`;
    const of = joined.child({ connection: `${n}`, address, secure: true });
    of.info({}, 'connection opened');
    if (n % 3 === 0) of.warn({ error_code: `RTMP_FAULT_${n % 11}`, byteOffset: n }, `Fault at ${n}.`);
    else refuse(of, address, n % 2 === 0 ? 'unknown-key' : 'too-many-wrong-keys');
    if (n % 5 === 0) of.error({ err: fault, code: 1 }, 'request failed');
    else of.info({ reason: 'tls-handshake', code: `ERR_SSL_${n % 40}` }, 'connection refused');
    of.info({ cause: `refused: ${n % 13}`, durationMs: n, bytesReceived: n }, 'connection closed');
    lines += 4;
  }
  await log.flush();
  const { size } = statSync(file);
  rmSync(folder, { recursive: true });
  expect(lines).toBe(288_000);
  expect(size).toBeGreaterThan(50_000);
  expect(size).toBeLessThan(500_000);
});
