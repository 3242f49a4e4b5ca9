import { WireError } from '../../../../src/bytes/wire-error.js';
import { readProxyHeader } from '../../../../src/ingest/sockets/proxy-header.js';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const v2 = (rest: string) => Buffer.from(SIGNATURE + rest, 'hex');
const TAIL = Buffer.from('160301', 'hex');

// Examples and layouts of proxy-protocol.txt.
const CASES: [string, Buffer, string | undefined][] = [
  ['v1 over IPv4', Buffer.from('PROXY TCP4 255.255.255.255 255.255.255.254 65535 65534\r\n'), '255.255.255.255'],
  ['v1 over IPv6', Buffer.from('PROXY TCP6 2001:DB8::1 ::1 4321 443\r\n'), '2001:db8::1'],
  ['v1 unknown', Buffer.from('PROXY UNKNOWN\r\n'), undefined],
  ['v2 over IPv4', v2('2111000cc0000201c0000202115c01bb'), '192.0.2.1'],
  ['v2 over IPv4 with TLVs', v2('21110014c0000201c0000202115c01bb0400050102030405'), '192.0.2.1'],
  ['v2 over IPv6', v2(`21210024${'20010db8000000000000000000000001'}${'0'.repeat(30)}01115c01bb`), '2001:db8::1'],
  ['v2 local', v2('20000000'), undefined],
];

describe.each(CASES)('%s', (_name, header, address) => {
  test('is read when it is complete, up to the bytes of the client', () => {
    expect(readProxyHeader(Buffer.concat([header, TAIL]))).toEqual({ consumed: header.length, address });
  });

  test('is not read while it is incomplete', () => {
    for (let length = 0; length < header.length; length++) {
      expect(readProxyHeader(header.subarray(0, length))).toBeUndefined();
    }
  });
});

test.each([
  ['a TLS hello', '160301020001'],
  ['an unterminated line', Buffer.from(`PROXY TCP4 ${'1'.repeat(120)}`).toString('hex')],
  ['a line without an address', Buffer.from('PROXY TCP4 evil.example 1 2 3\r\n').toString('hex')],
  ['version 3', `${SIGNATURE}31110000`],
  ['an oversized header', `${SIGNATURE}2111ffff`],
  ['truncated addresses', `${SIGNATURE}21110004c0000201`],
])('refuses %s', (_name, hex) => {
  expect(() => readProxyHeader(Buffer.from(hex, 'hex'))).toThrow(WireError);
});
