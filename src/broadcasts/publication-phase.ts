/**
 * How one publish session ends, as a table: what each event leads to, and that nothing else happens. The broadcast has a life of
 * its own (`broadcast/lifecycle.ts`) and may go on with the next encoder.
 */

export type PublicationPhase =
  /** Packets are judged and shown to taps. */
  | 'receiving'
  /** The judge has ended the broadcast and the store is being told: packets count no more, the encoder is still there. */
  | 'stopping'
  /** The connection has gone. The broadcast may come back, so its records stay open. */
  | 'left'
  /** The broadcast is over: its records are closed, and the encoder was told if it was there. */
  | 'over'
  /** Another process holds the key now, and the records with it. */
  | 'superseded';

export type PublicationEvent =
  /** 8 hours, strict enforcement. */
  | 'judged-over'
  /** The end stands in the store: the judge's, by the HTTP interface, by a deadline, or of an unpublish that ends it. */
  | 'ended'
  /** Unpublished, lost, or let go by us. */
  | 'gone'
  | 'key-lost';

export const PUBLICATION_TABLE: Readonly<
  Record<PublicationPhase, Readonly<Partial<Record<PublicationEvent, PublicationPhase>>>>
> = {
  receiving: { 'judged-over': 'stopping', ended: 'over', gone: 'left', 'key-lost': 'superseded' },
  stopping: { ended: 'over', gone: 'left', 'key-lost': 'superseded' },
  // The key may be held for a moment yet: an end that comes now finds nobody else to close the records.
  left: { ended: 'over' },
  over: {},
  superseded: {},
};

/** The encoder is there and its records are ours to write. */
export function isHere(phase: PublicationPhase): boolean {
  return phase === 'receiving' || phase === 'stopping';
}
