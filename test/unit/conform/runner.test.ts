/** A hostile case is passed only where others are served meanwhile and afterwards. */
import { CASES } from '../../../src/conform/cases/index.js';
import type { Line, Peer } from '../../../src/conform/peer.js';
import { runCases } from '../../../src/conform/runner.js';
import { KEYS, SessionIngest } from '../../support/session-ingest.js';

const garbage = CASES.filter(({ id }) => id === 'chunks/garbage');
const options = { keys: KEYS, timeoutMs: 1000, pause: async () => undefined };

/** A supervisor with workers: a fault ends all connections of a worker, and the next are served. */
function workers(): Peer {
  const ingest = new SessionIngest();
  let lines: Line[] = [];
  const open = async (): Promise<Line> => {
    const line = await ingest.open();
    lines.push(line);
    const endOthers = () => {
      if (!line.isClosed) return;
      for (const other of lines) other.close('drop');
      lines = [];
    };
    return {
      tls: undefined,
      get isClosed() {
        return line.isClosed;
      },
      close: () => line.close('drop'),
      send: async (bytes) => {
        await line.send(bytes);
        endOthers();
      },
      receive: async (withinMs) => {
        const bytes = await line.receive(withinMs);
        endOthers();
        return bytes;
      },
    };
  };
  return { isSecure: false, isVerifying: false, hasDeadlines: false, app: 'live', tcUrl: ingest.tcUrl, open };
}

test('a server that ends one connection passes', async () => {
  const { results } = await runCases(garbage, { ...options, peer: new SessionIngest() });
  expect(results).toMatchObject([{ verdict: 'pass' }]);
});

test('a server that ends others with it fails, though it serves the next', async () => {
  const { results, died } = await runCases(garbage, { ...options, peer: workers() });
  expect(died).toBeUndefined();
  expect(results).toMatchObject([{ verdict: 'fail', expected: 'other connections go on' }]);
});
