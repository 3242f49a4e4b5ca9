/** Position of one packet in the stream, for a record's evidence. Flat, so that keeping one copies numbers only. */
export interface PacketFacts {
  kind: 'video' | 'audio' | 'data' | 'clock';
  /** Stream time, milliseconds. */
  decodeTimeMs: number;
  presentationTimeMs: number;
  messageNumber: number;
  byteOffset: number;
  /** Bit n is set if a NAL unit of type n is present. 0 for anything but H.264. */
  nalTypes: number;
}

/** Its offset is a double from the start: a small integer that becomes one at 2 GiB makes V8 discard the code of all rules. */
export function newPacketFacts(): PacketFacts {
  const at = { decodeTimeMs: 0, presentationTimeMs: 0, messageNumber: 0, byteOffset: Number.NaN, nalTypes: 0 };
  return { kind: 'clock', ...at };
}

export function copyPacket(from: PacketFacts, to: PacketFacts): void {
  to.kind = from.kind;
  to.decodeTimeMs = from.decodeTimeMs;
  to.presentationTimeMs = from.presentationTimeMs;
  to.messageNumber = from.messageNumber;
  to.byteOffset = from.byteOffset;
  to.nalTypes = from.nalTypes;
}
