import { StoreUnavailableError } from '../../../../src/ports/index.js';
import { readiness } from '../../../../src/server/http/readiness.js';

const up = { ping: async () => undefined };

test.each([
  ['all is there', up, 1, true, { store: 'ok', ingest: 'ok', media: 'ok' }],
  [
    'no process receives',
    up,
    0,
    false,
    { store: 'ok', ingest: 'no ingest process runs', media: 'no media process runs' },
  ],
  [
    'the store is away',
    { ping: () => Promise.reject(new StoreUnavailableError('Redis is away')) },
    2,
    false,
    { store: 'Redis is away', ingest: 'ok', media: 'ok' },
  ],
  [
    'the store says nothing',
    { ping: () => new Promise<void>(() => undefined) },
    2,
    false,
    { store: 'the store does not answer', ingest: 'ok', media: 'ok' },
  ],
])('when %s', async (_, store, processes, ready, checks) => {
  const answer = readiness({
    store,
    processes: () => ({ ingest: processes, media: processes }),
    isDraining: () => false,
  });
  expect(await answer).toEqual({ ready, checks: { ...checks, web: 'ok' } });
});

test('a draining server is not ready for streams, and goes on with everything else', async () => {
  const answer = readiness({ store: up, processes: () => ({ ingest: 1, media: 1 }), isDraining: () => true });
  expect(await answer).toEqual({
    ready: false,
    checks: { store: 'ok', ingest: 'draining', media: 'ok', web: 'ok' },
  });
});

test('a media process that nothing needs is idle, which is no fault', async () => {
  const answer = readiness({ store: up, processes: () => ({ ingest: 1, media: 'idle' }), isDraining: () => false });
  expect(await answer).toEqual({ ready: true, checks: { store: 'ok', ingest: 'ok', media: 'idle', web: 'ok' } });
});
