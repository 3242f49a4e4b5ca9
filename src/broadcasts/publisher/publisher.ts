/** Interfaces between a running broadcast and the connection of its encoder, for all protocols. */
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';
import type { EncoderSetup } from '../../lifecycle/encoder-setup.js';
import type { InputIndex } from '../../lifecycle/on-air.js';
import type { MediaMessage } from '../../media/media-message.js';
import type { RecordBody } from '../../spec/error-record.js';
import type { CloseReason, Interruption } from './close-reasons.js';

/** An error record sent to the encoder while it publishes. */
export interface RecordNotice {
  readonly kind: 'violation' | 'cleared';
  readonly liveVideoId: string;
  readonly record: RecordBody;
}

/** Sends notices and the close reason to the encoder. */
export interface EncoderChannel {
  notify(notice: RecordNotice): void;
  /** Sends the reason, waits for the close grace time, closes the connection. */
  closeWith(reason: CloseReason): void;
}

/** How a publisher was disconnected: by unpublishing, by a lost connection, or by this server (take-over, shutdown). */
export type DisconnectKind = 'unpublished' | 'lost' | 'released';

/** A connection's knowledge of its encoder. */
export interface ClientFacts {
  /** The connection is encrypted. */
  readonly secure: boolean;
  /** The encoder's name as given in the protocol; empty if it gives none. */
  readonly clientName: string;
  /** Ids of the deployments that passed the stream on to this one; absent: none. */
  readonly passed?: readonly string[];
}

/** The encoder of an admitted publish. */
export interface AdmittedClient extends ClientFacts {
  /** The settings that the server gave it. */
  readonly setup?: EncoderSetup | undefined;
  /** Its owner has storage left for a recording. */
  readonly hasStorage: boolean;
  /** How long the publish waited for the stream key or the store. */
  readonly heldMs: number;
  /** The input stream to which it publishes, if the live video has two. */
  readonly input?: AdmittedInput | undefined;
}

export interface AdmittedInput {
  readonly id: string;
  readonly index: InputIndex;
}

/** The kernel's figures of a connection. */
export interface SocketFacts {
  /** Bytes that arrived and were not read yet. */
  readonly waitingBytes: number | undefined;
  /** Segments since the connection began that arrived out of order; only asked for while it is interrupted. */
  readonly outOfOrder: number | undefined;
}

/** Receives the packets of an accepted publish: a publication or a preflight. */
export interface PacketTarget {
  /** Payload may be retained beyond the call. */
  readonly keepsPayload: boolean;
  /** For a video message that is still arriving: true if all the bytes that will be read were retained. */
  retainHeaders(payload: SliceList, partial: PartialFrame): boolean;
  video(message: MediaMessage): void;
  audio(message: MediaMessage): void;
  /** No lag, gap or interruption is being looked into: the time of arrival need not be exact. Absent: it must. */
  readonly arrivesEvenly?: boolean;
  /** Reads the kernel's figures of the connection; called every few seconds, where the system tells. */
  takeSocket?(socket: SocketFacts): void;
  /** True if the stream paused since the last call: `outOfOrder` is of use. */
  takeInterruptions?(): boolean;
  /** `value`: the decoded onMetaData object of `message`. */
  metadata(value: unknown, message: MediaMessage): void;
  /** Any other data message: texts, cues, time codes. */
  data(name: string, values: readonly unknown[], message: MediaMessage): void;
}

/** An accepted publish. */
export interface PublishSession {
  readonly target: PacketTarget;
  /**
   * The encoder unpublished or disconnected. Resolves when the stream key is free. `by`: of the reason that was given, if this
   * server closed the connection.
   */
  leave(how: DisconnectKind, by?: Interruption): Promise<void>;
}
