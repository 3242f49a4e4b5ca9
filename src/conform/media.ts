/** A black picture of 640x360 in H.264 and silence in AAC, as FLV tag bodies: enough for a peer that reads media. */

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replace(/\s/g, ''), 'hex'));

export const AVC_HEADER = bytes(
  '17 00 000000 014d401effe10019674d401ed900a02ff97011000003000100000300320f162e4801000568ebc3cb20',
);
const IDR =
  '6588840cfffef6ecbe053614c85097112cc5da4a703e2aa480807734c00000030000030000048453fa2a2756c5d478000003025a008e03441da15d11710811c19e258428748ca000000300000300000300000300000fd9';
export const KEY_FRAME = bytes(`17 01 000000 00000057 ${IDR}`);
export const INTER_FRAME = bytes('27 01 000000 0000000f 419a3b10cffe9e10000003000006f4');
export const AAC_HEADER = bytes('af 00 1190');
export const AAC_FRAME = bytes('af 01 211004608c1c');

/** That key frame in Enhanced RTMP: coded frames with the FourCC `avc1` and a composition time. */
export const ENHANCED_HEADER = bytes(
  '90 61766331 014d401effe10019674d401ed900a02ff97011000003000100000300320f162e4801000568ebc3cb20',
);
export const ENHANCED_KEY_FRAME = bytes(`91 61766331 000000 00000057 ${IDR}`);

/** A body of a size, with bytes that differ from place to place. */
export function filled(size: number, seed = 0): Uint8Array {
  return Uint8Array.from({ length: size }, (_none, at) => (at * 31 + seed) & 0xff);
}

/** A video body of a size: an inter frame of one NAL unit. */
export function frameOf(size: number): Uint8Array {
  const body = new Uint8Array(Math.max(10, size));
  body.set([0x27, 1, 0, 0, 0]);
  new DataView(body.buffer).setUint32(5, body.length - 9);
  body[9] = 0x41;
  return body;
}

export { bytes as hex };
