/** What a publication is given, and how it speaks with the connection that it belongs to. */
import type { StreamJudge } from '../broadcast/judge.js';
import type { Lease, Log } from '../ports/index.js';
import type { Farewell } from './close-reasons.js';
import type { IngestDeps } from './deps.js';
import type { LiveVideo, StateWriter } from './state-writer.js';
import type { StatusInfo } from './status-pusher.js';

/** The way back to the encoder. */
export interface EncoderChannel {
  sendStatus(info: StatusInfo): void;
  /** Says why, waits the grace time, destroys the socket. */
  closeWith(farewell: Farewell): void;
}

/** How a publisher went: in order, without a word, or let go by us (a newer encoder took its key, the server stops). */
export type DisconnectKind = 'unpublished' | 'lost' | 'released';

export interface PublicationOptions {
  readonly live: LiveVideo;
  readonly lease: Lease;
  readonly judge: StreamJudge;
  /** For a recording. */
  readonly hasRoom: boolean;
  readonly channel: EncoderChannel;
  readonly deps: IngestDeps;
  readonly states: StateWriter;
  readonly log: Log;
}
