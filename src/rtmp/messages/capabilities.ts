/** Capabilities of Enhanced RTMP v2 in the connect command and its result ("Enhancing NetConnection connect Command"). */
import { type AmfObject, type AmfValue, isAmfObject } from '../amf/amf-value.js';

/** Flags of `capsEx`. */
export const CAPS_EX = { reconnect: 0x01, multitrack: 0x02, modEx: 0x04, timestampNanoOffset: 0x08 } as const;

/** Flags of a codec in `videoFourCcInfoMap` and `audioFourCcInfoMap`. */
const FOUR_CC = { canDecode: 0x01, canEncode: 0x02, canForward: 0x04 } as const;

/** Announced by a client or a server. */
export interface Capabilities {
  /** Flags of `CAPS_EX`; 0 if absent. */
  readonly capsEx: number;
  /** Codec, or `*` for any → flags of `FOUR_CC`. Codecs of the older `fourCcList` have no flags. */
  readonly fourCcs: ReadonlyMap<string, number>;
}

/** More than all codecs of the standard. */
const MAX_FOUR_CCS = 64;

/** Undefined: the peer does not speak Enhanced RTMP, or does not say so. Values of a wrong type count as absent. */
export function readCapabilities(properties: Readonly<AmfObject>): Capabilities | undefined {
  const { capsEx, fourCcList, videoFourCcInfoMap, audioFourCcInfoMap } = properties;
  const fourCcs = new Map<string, number>();
  if (Array.isArray(fourCcList)) for (const code of fourCcList.slice(0, MAX_FOUR_CCS)) add(fourCcs, code, 0);
  for (const map of [videoFourCcInfoMap, audioFourCcInfoMap]) {
    if (!isAmfObject(map)) continue;
    for (const [code, flags] of Object.entries(map).slice(0, MAX_FOUR_CCS)) add(fourCcs, code, flagsOf(flags));
  }
  const flags = flagsOf(capsEx);
  return typeof capsEx === 'number' || fourCcs.size > 0 ? { capsEx: flags, fourCcs } : undefined;
}

/**
 * This server's capabilities: it asks for a reconnect before it goes out of service, reads multitrack messages, ModEx
 * prefixes and their nanoseconds, and forwards the codecs of the specification. Other codecs are received too, but are a violation, so they are not offered.
 */
export const SERVER_CAPABILITIES: Readonly<Record<string, AmfValue>> = {
  capsEx: CAPS_EX.reconnect | CAPS_EX.multitrack | CAPS_EX.modEx | CAPS_EX.timestampNanoOffset,
  fourCcList: ['avc1', 'mp4a'],
  videoFourCcInfoMap: { avc1: FOUR_CC.canForward },
  audioFourCcInfoMap: { mp4a: FOUR_CC.canForward },
};

function add(fourCcs: Map<string, number>, code: AmfValue, flags: number): void {
  if (typeof code === 'string' && (code === '*' || code.length === 4)) fourCcs.set(code, flags);
}

function flagsOf(value: AmfValue): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xff ? value : 0;
}
