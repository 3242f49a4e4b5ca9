/** All conformance cases against the built server, and all planted faults against all cases in memory. */
import { CASES } from '../../src/conform/cases/index.js';
import { MUTANTS } from '../support/conform-mutants.js';
import { type ConformServer, conformTo, startConformServer } from '../support/conform-run.js';
import { failuresOf } from '../support/mutated-session.js';

describe('the built server', () => {
  let server: ConformServer;
  beforeAll(async () => {
    server = await startConformServer();
  });
  afterAll(() => server.airlock.stop());

  test.each(['rtmp', 'rtmps'] as const)('passes every case over %s, in less than 240 s', async (scheme) => {
    const { code, failed, passed, seconds } = await conformTo(server, scheme);
    expect(failed).toEqual([]);
    expect(code).toBe(0);
    expect(passed).toBe(CASES.filter(({ needs }) => scheme === 'rtmps' || needs !== 'tls').length);
    expect(seconds).toBeLessThan(240);
  });
});

test.each(MUTANTS)('%s', async (_name, fault, found) => {
  expect(await failuresOf(fault, CASES)).toEqual(found);
});
