/** Peers that say nothing, or close each connection: a case that they pass proves nothing. */
import { CASES } from '../../../src/conform/cases/index.js';
import type { Line, Peer } from '../../../src/conform/peer.js';
import { runCases } from '../../../src/conform/runner.js';
import { KEYS } from '../../support/session-ingest.js';

const peer = (isClosed: boolean): Peer => ({
  isSecure: true,
  isVerifying: true,
  hasDeadlines: true,
  app: 'live',
  tcUrl: 'rtmp://localhost/live',
  open: async (): Promise<Line> => ({
    send: async () => undefined,
    receive: async () => undefined,
    isClosed,
    tls: undefined,
    close: () => undefined,
  }),
});

/** Cases that end without a fault. A hostile one is judged by the plain publish that follows it. */
async function passes(isClosed: boolean): Promise<string[]> {
  const passed: string[] = [];
  for (const each of CASES.filter(({ hostile }) => hostile !== true)) {
    const { results } = await runCases([each], {
      peer: peer(isClosed),
      keys: KEYS,
      timeoutMs: 100,
      pause: async () => undefined,
    });
    if (results[0]?.verdict === 'pass') passed.push(each.id);
  }
  return passed;
}

test('a peer that says nothing passes no case', async () => {
  expect(await passes(false)).toEqual([]);
});

test('a peer that closes each connection passes only cases that wait for just that', async () => {
  const deadlines = ['tls/unfinished-handshake', 'limits/handshake-not-begun', 'limits/handshake-slow'];
  expect(await passes(true)).toEqual(deadlines);
});
