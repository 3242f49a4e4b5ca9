/** Protocol control and user control message bodies (RTMP 1.0 5.4, 7.1.7). */
import type { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';

/** Set Peer Bandwidth limit types (RTMP 1.0 5.4.5). */
export const PEER_BANDWIDTH_LIMIT = { hard: 0, soft: 1, dynamic: 2 } as const;

/** Body of Set Chunk Size, Abort, Acknowledgement and Window Acknowledgement Size: one 32-bit number. */
export function u32Body(value: number): Uint8Array {
  const body = new Uint8Array(4);
  new DataView(body.buffer).setUint32(0, value);
  return body;
}

/** @throws WireError if the body is shorter than four bytes */
export function readU32Body(payload: SliceList, clause: string): number {
  return readU32At(payload, 0, clause);
}

export function setPeerBandwidthBody(windowBytes: number, limitType: number): Uint8Array {
  const body = new Uint8Array(5);
  new DataView(body.buffer).setUint32(0, windowBytes);
  body[4] = limitType;
  return body;
}

/** Body of a user control message with one 32-bit argument: a stream ID or a ping's timestamp. */
export function userControlBody(eventType: number, argument: number): Uint8Array {
  const body = new Uint8Array(6);
  const view = new DataView(body.buffer);
  view.setUint16(0, eventType);
  view.setUint32(2, argument);
  return body;
}

/** `argument` is 0 if the event has none. @throws WireError if the body is shorter than two bytes */
export function readUserControl(payload: SliceList): { readonly eventType: number; readonly argument: number } {
  if (payload.length < 2)
    throw new WireError('RTMP_USER_CONTROL', 'user control message without an event type', 'RTMP 1.0 7.1.7');
  return {
    eventType: payload.byteAt(0) * 256 + payload.byteAt(1),
    argument: payload.length < 6 ? 0 : readU32At(payload, 2, 'RTMP 1.0 7.1.7'),
  };
}

function readU32At(payload: SliceList, at: number, clause: string): number {
  if (payload.length < at + 4) {
    throw new WireError('RTMP_CONTROL_TOO_SHORT', `control message too short: ${payload.length} bytes`, clause);
  }
  const bytes = payload.copy(at, at + 4);
  return new DataView(bytes.buffer).getUint32(0);
}
