/** How a publish session ends, as a table. */

export type PublicationPhase =
  /** Packets are judged and passed to taps. */
  | 'receiving'
  /** The judge has ended the broadcast; the write to the store is pending. Packets are ignored, the encoder is connected. */
  | 'stopping'
  /** The encoder has disconnected. The broadcast may be resumed, so its records stay open. */
  | 'left'
  /** The broadcast is over: its records are closed, and a connected encoder was sent the reason. */
  | 'over'
  /** Another process holds the lease, and the records with it. */
  | 'superseded';

export type PublicationEvent =
  /** By the 8-hour limit or strict enforcement. */
  | 'judged-over'
  /** The end is in the store: by the judge, the HTTP interface, a deadline, or an unpublish that ends the broadcast. */
  | 'ended'
  /** Unpublished, lost, or released by this server. */
  | 'gone'
  | 'key-lost';

/**
 * How a publish session ends; every other event is ignored. The broadcast has its own lifecycle (`lifecycle/lifecycle.ts`) and
 * may continue with the next publish session.
 */
export const PUBLICATION_TABLE: Readonly<
  Record<PublicationPhase, Readonly<Partial<Record<PublicationEvent, PublicationPhase>>>>
> = {
  receiving: { 'judged-over': 'stopping', ended: 'over', gone: 'left', 'key-lost': 'superseded' },
  stopping: { ended: 'over', gone: 'left', 'key-lost': 'superseded' },
  // The lease may still be held briefly, so an end that arrives now must close the records here.
  left: { ended: 'over', 'key-lost': 'superseded' },
  // Until it has left: what the stream was as it ended is then kept by the other process.
  over: { 'key-lost': 'superseded' },
  superseded: {},
};

/** The encoder is connected and this process writes its records. */
export function isActive(phase: PublicationPhase): boolean {
  return phase === 'receiving' || phase === 'stopping';
}
