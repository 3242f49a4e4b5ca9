/** The built server against a sample of the conformance cases; test/long has all of them. */
import { type ConformServer, conformTo, startConformServer } from '../support/conform-run.js';

let server: ConformServer;
beforeAll(async () => {
  server = await startConformServer();
});
afterAll(() => server.airlock.stop());

const only = (...groups: string[]) => groups.flatMap((group) => ['--only', group]);

test.each([
  ['rtmp', ['chunks', 'control', 'commands', 'enhanced', 'publishing/start']],
  ['rtmps', ['handshake', 'amf', 'tls', 'publishing/two-keys', 'limits/idle-connections']],
] as const)('over %s it passes %j', async (scheme, groups) => {
  const { code, failed, passed } = await conformTo(server, scheme, ...only(...groups));
  expect(failed).toEqual([]);
  expect(code).toBe(0);
  expect(passed).toBeGreaterThan(40);
});
