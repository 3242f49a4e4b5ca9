import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { clientAddress, originOf } from '../../../src/lib/client-address.js';

const isProxy = (address: string) => address.startsWith('10.');

test.each([
  ['of a peer that is not a proxy', '192.0.2.1', '127.0.0.1', '192.0.2.1'],
  ['of this machine when no proxy is declared on it', '127.0.0.1', '192.0.2.1', '127.0.0.1'],
  ['of a proxy that sends no header', '10.0.0.1', undefined, '10.0.0.1'],
  ['of a proxy', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['of two proxies', '10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1'],
  ['that the client had set itself', '10.0.0.1', '127.0.0.1, 198.51.100.9, 192.0.2.1', '192.0.2.1'],
  ['with an IPv6 address', '10.0.0.1', ' 2001:db8::1 ', '2001:db8::1'],
  ['that is not an address', '10.0.0.1', '192.0.2.1, unknown', '10.0.0.1'],
  ['that is empty', '10.0.0.1', '', '10.0.0.1'],
  ['of proxies alone', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
])('resolves the header %s', (_what, peer, header, client) => {
  expect(clientAddress(peer, header, isProxy)).toBe(client);
});

test.each([
  ['of the request', '192.0.2.1', 'http://own:8080'],
  ['that a declared proxy forwards', '10.0.0.1', 'https://video.example'],
])('takes the origin %s', (_what, remoteAddress, origin) => {
  const headers = { host: 'own:8080', 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'video.example' };
  const request = Object.assign(
    new IncomingMessage(Object.create(new Socket(), { remoteAddress: { value: remoteAddress } })),
    {
      headers,
    },
  );
  const { protocol, host } = originOf(request, isProxy);
  expect(`${protocol}://${host}`).toBe(origin);
});
