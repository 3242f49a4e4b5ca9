/**
 * The extension Name Constraints (RFC 5280, 4.2.1.10) of the local authority: certificates signed by it are accepted only for
 * the names that the server has, so that its key is of no use against other sites of those who trust it. Not critical: Mbed
 * TLS, in OBS, cannot parse a certificate with this extension when it is critical (decision 7).
 */
import { isIP, isIPv4 } from 'node:net';

/** Begins the common name of each local authority. */
export const AUTHORITY_NAME = 'Airlock local authority';

export const NAME_CONSTRAINTS_OID = '2.5.29.30';

/** The start of the extension in a certificate: its identifier. */
const IDENTIFIER = Buffer.from('0603551d1e', 'hex');

const SEQUENCE = 0x30;
/** Context tags of GeneralName and of `permittedSubtrees`. */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const PERMITTED = 0xa0;

/** The value of the extension, as DER. */
export function nameConstraints(names: readonly string[]): Buffer {
  return der(SEQUENCE, der(PERMITTED, Buffer.concat(names.map(subtree))));
}

/** Whether a certificate (DER) has the extension at all. */
export function isConstrained(certificate: Buffer): boolean {
  return certificate.includes(IDENTIFIER);
}

/** Whether a constrained certificate permits each of these names. */
export function permits(certificate: Buffer, names: readonly string[]): boolean {
  return names.every((name) => certificate.includes(subtree(name)));
}

function subtree(name: string): Buffer {
  const base = isIP(name) === 0 ? der(DNS_NAME, Buffer.from(name, 'ascii')) : der(IP_ADDRESS, addressRange(name));
  return der(SEQUENCE, base);
}

/** The address and a mask of ones: this address only. */
function addressRange(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  return Buffer.concat([bytes, Buffer.alloc(bytes.length, 0xff)]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = expanded(address).split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), tail === undefined ? [] : groups(tail)];
  const all = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** An address whose end is in the notation of IPv4, in hexadecimal groups. */
function expanded(address: string): string {
  const match = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (match === null) return address;
  const [, head = '', ...bytes] = match;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  return `${head}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
