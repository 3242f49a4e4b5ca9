/** Where one packet stands in the stream: what evidence is made of. Flat, so that keeping one copies numbers only. */
export interface PacketFacts {
  kind: 'video' | 'audio' | 'data' | 'clock';
  /** Stream time, milliseconds. */
  decodeTimeMs: number;
  presentationTimeMs: number;
  messageNumber: number;
  byteOffset: number;
  /** Bit n: NAL type n is in it. 0 for anything but H.264. */
  nalTypes: number;
}

export function newPacketFacts(): PacketFacts {
  return { kind: 'clock', decodeTimeMs: 0, presentationTimeMs: 0, messageNumber: 0, byteOffset: 0, nalTypes: 0 };
}

export function copyPacket(from: PacketFacts, to: PacketFacts): void {
  to.kind = from.kind;
  to.decodeTimeMs = from.decodeTimeMs;
  to.presentationTimeMs = from.presentationTimeMs;
  to.messageNumber = from.messageNumber;
  to.byteOffset = from.byteOffset;
  to.nalTypes = from.nalTypes;
}
