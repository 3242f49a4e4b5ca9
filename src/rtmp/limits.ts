import { MESSAGE_TYPE } from './protocol.js';

/** Bounds on the memory and work that a peer can cause. Each is checked before anything is allocated. */
export interface RtmpLimits {
  /** Declared length of an audio, video, data or aggregate message. */
  readonly messageBytes: number;
  /** Declared length of a command, a shared object or a message of unknown type. */
  readonly commandBytes: number;
  /** Chunk streams of a connection. */
  readonly chunkStreams: number;
  /** Memory held for unfinished messages of a connection before its publish is accepted. */
  readonly unfinishedBytesBeforePublish: number;
  /** Bound after `raiseLimits`. */
  readonly unfinishedBytes: number;
  /** Free chunks; beyond them the connection must average `bytesPerChunk` bytes per chunk. */
  readonly freeChunks: number;
  /** Minimum mean size of a chunk on the wire, header included. Bounds the work that a chunk size of 1 can cause. */
  readonly bytesPerChunk: number;
  /** Free ignored messages; beyond them at most one message in sixteen may be ignored. */
  readonly ignoredMessages: number;
  /** createStream calls answered on a connection, and publishes refused while another one is active. */
  readonly messageStreams: number;
  readonly amf: AmfLimits;
}

/** Bounds on one AMF0 or AMF3 body. */
export interface AmfLimits {
  readonly depth: number;
  /** Total members and elements of all objects and arrays of the body; counted again for each reference. */
  readonly entries: number;
  readonly stringBytes: number;
}

export const DEFAULT_AMF_LIMITS: AmfLimits = { depth: 16, entries: 1024, stringBytes: 16 * 1024 };

export const DEFAULT_RTMP_LIMITS: RtmpLimits = {
  messageBytes: 8 * 1024 * 1024,
  commandBytes: 64 * 1024,
  chunkStreams: 64,
  unfinishedBytesBeforePublish: 256 * 1024,
  unfinishedBytes: 16 * 1024 * 1024,
  freeChunks: 65_536,
  bytesPerChunk: 8,
  ignoredMessages: 1000,
  messageStreams: 64,
  amf: DEFAULT_AMF_LIMITS,
};

/** The bound for a message type: media and metadata may be long, commands and control messages are short. */
export function longestMessage(typeId: number, limits: RtmpLimits): number {
  switch (typeId) {
    case MESSAGE_TYPE.audio:
    case MESSAGE_TYPE.video:
    case MESSAGE_TYPE.aggregate:
    case MESSAGE_TYPE.dataAmf0:
    case MESSAGE_TYPE.dataAmf3:
      return limits.messageBytes;
    default:
      return limits.commandBytes;
  }
}
