/** Checks of `airlock doctor`: the disk with AIRLOCK_DISK_RESERVE, the ports of a running server. */
import { type AddressInfo, createServer } from 'node:net';
import { checkPorts, diskFinding } from '../../../../src/cli/doctor/machine-checks.js';
import { loadConfig } from '../../../../src/config/load.js';
import { diskReserve } from '../../../../src/config/settings/values.js';

test.each([
  [500e9, '10%', 'ok', '500.0 GB free of 1000.0 GB, reserve 10% (100.0 GB)'],
  [99e9, '10%', 'warn', 'less than the reserve 10% (100.0 GB): nothing is recorded and uploads are refused'],
  [99e9, '20GB', 'ok', 'reserve 20GB (20.0 GB)'],
  [500e9, '1TB', 'fail', 'AIRLOCK_DISK_RESERVE=1TB reserves the whole disk'],
  [5e9, '1%', 'fail', 'nothing can be stored'],
])('%d bytes free of 1 TB with a reserve of %s: %s', (freeBytes, reserve, level, finding) => {
  const result = diskFinding(freeBytes, 1e12, diskReserve().parse(reserve));
  expect(result).toMatchObject({ what: 'disk', level, finding: expect.stringContaining(finding) });
});

test('looks at the ports of a running server, not at those of the settings', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { config } = loadConfig({
    env: { AIRLOCK_RTMPS_PORT: '0', AIRLOCK_RTMP_PORT: '1935', AIRLOCK_HTTP_PORT: '8080' },
  });
  const running = { host: '0.0.0.0', dataDir: '/data', certsDir: '/certs', ports: { rtmps: port, http: port } };
  const open = await checkPorts(config, running);
  expect(open.map(({ level, finding }) => [level, finding])).toEqual([
    ['ok', `0.0.0.0:${port}, in use by the running server`],
    ['warn', 'closed in the running server; a start with the settings given here would open 1935'],
    [
      'warn',
      expect.stringContaining(`0.0.0.0:${port}, in use by the running server, which was started with other settings`),
    ],
  ]);
  await new Promise((resolve) => server.close(resolve));
  const closed = await checkPorts(config, running);
  expect(closed.map(({ level }) => level)).toEqual(['fail', 'warn', 'fail']);
});
