/** State table of the server session. Events that are not listed for a state are ignored. */

export type SessionState =
  /** C0, C1 and C2 have not all arrived. */
  | 'handshake'
  /** Chunks are read; the connect command has not arrived. */
  | 'handshaken'
  | 'connected'
  /** A publish was requested; the decision is pending. */
  | 'deciding'
  | 'publishing'
  /** The publish was refused. Input is counted and discarded until the connection is closed. */
  | 'refused';

export type SessionEvent = 'handshake' | 'connect' | 'publish' | 'accept' | 'unpublish' | 'refuse';

export const SESSION_TABLE: Readonly<Record<SessionState, Readonly<Partial<Record<SessionEvent, SessionState>>>>> = {
  handshake: { handshake: 'handshaken' },
  handshaken: { connect: 'connected' },
  connected: { publish: 'deciding' },
  deciding: { accept: 'publishing', unpublish: 'connected', refuse: 'refused' },
  publishing: { unpublish: 'connected', refuse: 'refused' },
  refused: {},
};
