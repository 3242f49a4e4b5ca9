/** What an encoder is told when it is let go, and what the log calls it. */
import type { EndReason } from '../broadcast/documents.js';
import type { RecordBody } from '../spec/error-record.js';
import { type StatusInfo, violationStatus } from './status-pusher.js';

export interface Farewell {
  readonly info: StatusInfo;
  /** For the log. */
  readonly cause: string;
}

const REJECTED = 'NetStream.Publish.Rejected';

export const LEASE_LOST: Farewell = {
  info: {
    level: 'error',
    code: REJECTED,
    description: 'Another server took this broadcast over while this one could not reach the store. Reconnect.',
  },
  cause: 'lease-lost',
};

/** To one that was silent for too long. */
export const TAKEN_OVER: Farewell = {
  info: {
    level: 'error',
    code: 'NetStream.Publish.BadName',
    description: 'Another encoder took over this stream key because this connection had been silent.',
  },
  cause: 'taken-over',
};

export const SHUT_DOWN: Farewell = {
  info: { level: 'error', code: REJECTED, description: 'The server is restarting. Reconnect in a few seconds.' },
  cause: 'server shut down',
};

/** `record`: of the violation that ended it, if one did. */
export function broadcastOver(
  liveVideoId: string,
  reason: EndReason | undefined,
  record: RecordBody | undefined,
): Farewell {
  const description = reason?.text ?? 'The broadcast was ended by its owner.';
  return {
    info:
      record === undefined
        ? { level: 'error', code: REJECTED, description }
        : violationStatus(liveVideoId, record, 'error', REJECTED),
    cause: reason?.type ?? 'ended',
  };
}
