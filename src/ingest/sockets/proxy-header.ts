/**
 * The PROXY protocol header, versions 1 and 2 (HAProxy's proxy-protocol.txt): the address of a trusted proxy's client.
 * Pure: bytes in, address out.
 */
import { WireError } from '../../bytes/wire-error.js';

export interface ProxyHeader {
  /** Bytes of the header; what follows belongs to the client. */
  readonly consumed: number;
  /** The client's address; undefined for LOCAL and UNKNOWN, which are connections of the proxy itself. */
  readonly address: string | undefined;
}

const V2_SIGNATURE = Uint8Array.of(0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a);
const V1_PREFIX = Uint8Array.of(0x50, 0x52, 0x4f, 0x58, 0x59, 0x20);
/** Bytes of the longest line, "PROXY UNKNOWN" with two IPv6 addresses (PROXY protocol, clause 2.1). */
const V1_LONGEST = 107;
const V2_FIXED = 16;
/** Bytes of addresses and TLVs; client certificates in TLVs are far smaller. */
const V2_LONGEST = 4096;

/** The header at the start of `bytes`, or undefined while it is incomplete. @throws WireError if there is none */
export function readProxyHeader(bytes: Uint8Array): ProxyHeader | undefined {
  if (startsLike(bytes, V2_SIGNATURE)) return bytes.length < V2_FIXED ? undefined : readV2(bytes);
  if (startsLike(bytes, V1_PREFIX)) return readV1(bytes);
  throw new WireError('PROXY_HEADER_MISSING', 'A trusted proxy sent no PROXY header.', 'PROXY protocol, clause 2', 0);
}

/** Whether `bytes` starts with `prefix` or is a shorter beginning of it. */
function startsLike(bytes: Uint8Array, prefix: Uint8Array): boolean {
  const length = Math.min(bytes.length, prefix.length);
  for (let i = 0; i < length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}

function readV1(bytes: Uint8Array): ProxyHeader | undefined {
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, V1_LONGEST)).toString('latin1');
  const end = line.indexOf('\r\n');
  if (end < 0) {
    if (bytes.length >= V1_LONGEST) throw bad('The PROXY line does not end.', 0);
    return undefined;
  }
  const [, family, source = ''] = line.slice(0, end).split(' ');
  const consumed = end + 2;
  if (family === 'UNKNOWN') return { consumed, address: undefined };
  if (family === 'TCP4' && /^[\d.]{7,15}$/.test(source)) return { consumed, address: source };
  if (family === 'TCP6' && /^[0-9a-fA-F:.]{2,45}$/.test(source)) return { consumed, address: source.toLowerCase() };
  throw bad('The PROXY line names no address.', 0);
}

function readV2(bytes: Uint8Array): ProxyHeader | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const versionAndCommand = view.readUInt8(12);
  const length = view.readUInt16BE(14);
  if (versionAndCommand >> 4 !== 2 || (versionAndCommand & 0x0f) > 1)
    throw bad('The PROXY header has an unknown version or command.', 12);
  if (length > V2_LONGEST) throw bad('The PROXY header is too long.', 14);
  const consumed = V2_FIXED + length;
  if (view.length < consumed) return undefined;
  const isLocal = (versionAndCommand & 0x0f) === 0;
  const family = view.readUInt8(13) >> 4;
  if (isLocal || family === 0 || family === 3) return { consumed, address: undefined };
  if (family === 1 && length >= 12) return { consumed, address: [...view.subarray(16, 20)].join('.') };
  if (family === 2 && length >= 36) return { consumed, address: ipv6(view.subarray(16, 32)) };
  throw bad('The PROXY header holds an incomplete address.', 13);
}

function ipv6(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  // Canonical form, so that limits per address count all spellings as one.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function bad(message: string, offset: number): WireError {
  return new WireError('PROXY_HEADER_BAD', message, 'PROXY protocol, clause 2', offset);
}
