/** Settings on their way to a role process. */
import { loadConfig } from '../../../src/config/load.js';
import { receivedSettings, sentSettings } from '../../../src/config/sent-settings.js';

const { config } = loadConfig({
  env: {
    AIRLOCK_TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8',
    AIRLOCK_FETCH_NETWORKS: '10.0.0.0/8:9000, [fd00::/8]:8443',
    AIRLOCK_DISK_RESERVE: '20%',
    AIRLOCK_RTMP_PORT: 'off',
    REDIS_URL: 'redis://h:6379',
  },
  cwd: '/srv',
});

test('arrive through JSON as they were loaded', () => {
  const received = receivedSettings(JSON.parse(JSON.stringify(sentSettings(config))));
  const plain = ({ trustedProxies, fetchNetworks, diskReserve, ...rest }: typeof config) =>
    JSON.parse(JSON.stringify(rest));
  expect(plain(received)).toEqual(plain(config));
  expect(received.trustedProxies.networks).toEqual(['10.0.0.0/8', 'fd00::/8']);
  const addresses = ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1', '11.0.0.1'];
  expect(addresses.map((address) => received.trustedProxies.includes(address))).toEqual([true, true, true, false]);
  expect(received.fetchNetworks.networks).toEqual(['10.0.0.0/8:9000', '[fd00::/8]:8443']);
  expect(received.fetchNetworks.allows('fd00::1', 8443, new Set())).toBe(true);
  expect(received.diskReserve.bytesOf(1000)).toBe(200);
  expect(received.diskReserve.text).toBe('20%');
});

test('values that were never settings are refused', () => {
  const sent = sentSettings(config);
  expect(() => receivedSettings({ ...sent, diskReserve: 'much' })).toThrow('"much" is no disk reserve');
  expect(() => receivedSettings({ ...sent, trustedProxies: ['10.0.0.0/33'] })).toThrow(
    '"10.0.0.0/33" is not a network',
  );
});
