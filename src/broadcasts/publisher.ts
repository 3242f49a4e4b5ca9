/** What a running broadcast and the connection of its encoder are to each other, whatever the protocol. */
import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import type { MediaMessage } from '../media/media-message.js';
import type { RecordBody } from '../spec/error-record.js';
import type { CloseReason } from './close-reasons.js';

/** A record that the encoder is told of while it broadcasts. */
export interface RecordNotice {
  readonly kind: 'violation' | 'cleared';
  readonly liveVideoId: string;
  readonly record: RecordBody;
}

/** The way back to the encoder. */
export interface EncoderChannel {
  notify(notice: RecordNotice): void;
  /** Sends the reason, waits the grace time, ends the connection. */
  closeWith(reason: CloseReason): void;
}

/** How a publisher was disconnected: in order, lost, or by us (a newer encoder took its key, the server stops). */
export type DisconnectKind = 'unpublished' | 'lost' | 'released';

/** What a connection knows of its encoder. */
export interface ClientFacts {
  /** Encrypted on its way to us. */
  readonly secure: boolean;
  /** The name that its software gives itself in the protocol; empty when it gives none. */
  readonly clientName: string;
}

/** What takes the packets of an accepted publish: a publication, or a preflight. */
export interface PacketTarget {
  /** Payload may be kept beyond the call. */
  readonly keepsPayload: boolean;
  /** A video message that is still arriving: true when all that will be looked at was kept of it. */
  retainHeaders(payload: SliceList, partial: PartialFrame): boolean;
  video(message: MediaMessage): void;
  audio(message: MediaMessage): void;
  /** `value`: of onMetaData, decoded from `message`. */
  metadata(value: unknown, message: MediaMessage): void;
}

/** An accepted publish. */
export interface PublishSession {
  readonly target: PacketTarget;
  /** The connection is gone, or unpublished. Resolves when the key is free again. */
  leave(how: DisconnectKind): Promise<void>;
}
