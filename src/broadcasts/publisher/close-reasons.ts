/** Why an encoder is disconnected. Each protocol maps `kind` to its own codes; the description is the same for all. */
import type { EndReason } from '../../broadcast/documents.js';
import type { RecordBody } from '../../spec/error-record.js';
import type { PreflightVerdict } from './preflight-verdict.js';

interface Closing {
  /** Shown to the user of the encoder. */
  readonly description: string;
  /** For the log. */
  readonly cause: string;
}

export interface BroadcastOver extends Closing {
  readonly kind: 'ended';
  readonly liveVideoId: string;
  /** The error record of the violation that ended the broadcast, if any. */
  readonly record: RecordBody | undefined;
}

export interface PreflightDone extends Closing {
  readonly kind: 'preflight-done';
  readonly liveVideoId: string;
  readonly verdict: PreflightVerdict;
}

export type CloseReason =
  | (Closing & { readonly kind: 'lease-lost' | 'taken-over' | 'retuned' | 'shut-down' | 'idle' | 'fault' })
  | BroadcastOver
  | PreflightDone;

export const LEASE_LOST: CloseReason = {
  kind: 'lease-lost',
  description: 'Another server took over this broadcast while this one was not responding. Reconnect.',
  cause: 'lease-lost',
};

/** Sent to a publisher that was silent for too long. */
export const TAKEN_OVER: CloseReason = {
  kind: 'taken-over',
  description: 'Another encoder took over this stream key because this connection had been silent.',
  cause: 'taken-over',
};

export const RETUNED: CloseReason = {
  kind: 'retuned',
  description: 'The operator changed the encoder settings. OBS reconnects with them in about 45 seconds.',
  cause: 're-tuned',
};

export const SHUT_DOWN: CloseReason = {
  kind: 'shut-down',
  description: 'The server is restarting. Reconnect in a few seconds.',
  cause: 'server shut down',
};

/** Sent when the time to leave a server that goes out of service is over. */
export const DRAINED: CloseReason = {
  kind: 'shut-down',
  description: 'This server is going out of service. Reconnect to continue on another one.',
  cause: 'drained',
};

/** Sent when the time to leave a process that was replaced by one of another version is over. */
export const REPLACED: CloseReason = {
  kind: 'shut-down',
  description: 'The server is being updated. Reconnect to continue.',
  cause: 'replaced',
};

/** Sent to a publisher whose connection may still be open. */
export const IDLE: CloseReason = {
  kind: 'idle',
  description: 'Nothing has arrived from this encoder for 30 s. Check its network, then start the stream again.',
  cause: 'idle',
};

export const FAILED: CloseReason = {
  kind: 'fault',
  description: 'The server failed to process this stream. Reconnect.',
  cause: 'internal-error',
};

/** What arrives cannot be read. `what`: for the user of the encoder; `cause`: the code of the error. */
export function unreadable(what: string, cause: string): CloseReason {
  return { kind: 'fault', description: `The server cannot read this stream: ${what}. Reconnect.`, cause };
}

/** `record`: the error record of the violation that ended the broadcast, if any. */
export function broadcastOver(
  liveVideoId: string,
  reason: EndReason | undefined,
  record: RecordBody | undefined,
): BroadcastOver {
  return {
    kind: 'ended',
    liveVideoId,
    record,
    description: record?.description ?? reason?.text ?? 'The broadcast was ended by its owner.',
    cause: reason?.type ?? 'ended',
  };
}
