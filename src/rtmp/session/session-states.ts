/** The server session's life as a table: what each event leads to, and that nothing else happens. */

export type SessionState =
  /** C0, C1 or C2 are not all here. */
  | 'handshake'
  /** Chunks are read; the connect command has not come. */
  | 'handshaken'
  | 'connected'
  /** A publish was asked for; the shell has not answered. */
  | 'deciding'
  | 'publishing'
  /** Told no. Whatever the peer sends is counted and thrown away until the shell closes. */
  | 'refused';

export type SessionEvent = 'handshake' | 'connect' | 'publish' | 'accept' | 'unpublish' | 'refuse';

export const SESSION_TABLE: Readonly<Record<SessionState, Readonly<Partial<Record<SessionEvent, SessionState>>>>> = {
  handshake: { handshake: 'handshaken' },
  handshaken: { connect: 'connected' },
  connected: { publish: 'deciding', refuse: 'refused' },
  deciding: { accept: 'publishing', unpublish: 'connected', refuse: 'refused' },
  publishing: { unpublish: 'connected', refuse: 'refused' },
  refused: {},
};
