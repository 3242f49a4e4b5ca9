/** Why an encoder is disconnected. Each protocol maps `kind` to its own codes; the description is the same for all. */
import type { RuleVerdict } from '../../judge/judge.js';
import type { EndReason } from '../../lifecycle/documents.js';
import { SERVICE_CODES } from '../../rules/registry/service-codes.js';
import type { RecordBody } from '../../spec/error-record.js';
import { SUBCODES } from '../../spec/service-errors.js';

/** The result of a preflight, identical on the connection and by GET. */
interface PreflightVerdict {
  readonly result: 'pass' | 'warn' | 'fail';
  readonly atMs: number;
  readonly streamTimeMs: number;
  readonly rules: readonly RuleVerdict[];
}

export function preflightVerdict(
  rules: readonly RuleVerdict[],
  { atMs, streamTimeMs }: Pick<PreflightVerdict, 'atMs' | 'streamTimeMs'>,
): PreflightVerdict {
  const has = (judged: RuleVerdict['judged']) => rules.some((rule) => rule.judged === judged);
  return { result: has('fail') ? 'fail' : has('warn') ? 'warn' : 'pass', atMs, streamTimeMs, rules };
}

/** One sentence for the user of the encoder. */
export function describePreflight({ result, rules }: PreflightVerdict): string {
  if (result === 'pass') {
    const unjudged = rules.filter((rule) => rule.judged === 'not-judged').length;
    return `Preflight passed: the stream meets the specification (${unjudged} rules had too little data).`;
  }
  const broken = rules
    .filter((rule) => rule.judged === 'fail' || rule.judged === 'warn')
    .map((rule) => `${rule.code} ${rule.type}`);
  return `Preflight ${result === 'fail' ? 'failed' : 'passed with warnings'}: ${broken.join(', ')}.`;
}

/** Text of 6503 for an interruption that was not the encoder's. */
export interface Interruption {
  readonly observed: string;
  /** In place of the remedy for a network. */
  readonly remedy?: string;
}

interface Closing {
  /** Shown to the user of the encoder. */
  readonly description: string;
  /** For the log. */
  readonly cause: string;
  /** Absent: the connection may be lost, or the broadcast is over. */
  readonly interruption?: Interruption;
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

/** A broadcast that an operator or the detector stops. `pageName`: whose content it shows. */
export function copyrightViolation(pageName: string): EndReason {
  const { copyrightViolation: code } = SERVICE_CODES;
  const { text } = SUBCODES.COPYRIGHT__LIVE_COPYRIGHT_VIOLATION;
  return { code, type: 'COPYRIGHT_VIOLATION', text: `[${code} COPYRIGHT_VIOLATION] ${text} (${pageName})` };
}

const LET_RECONNECT = 'No change is needed: let the encoder reconnect by itself.';

/** Found by the server that takes over: the other one has not said why. `missingMs`: at most so much, if that is known. */
export function serverStopped(missingMs: number | undefined): Interruption {
  const what = 'the server that received it stopped';
  if (missingMs === undefined) return { observed: what, remedy: LET_RECONNECT };
  const seconds = Math.ceil(missingMs / 100) / 10;
  return { observed: `${what}; up to ${seconds} s of the stream are missing`, remedy: LET_RECONNECT };
}

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
  interruption: { observed: 'another encoder took over the stream key while nothing arrived' },
};

export const RETUNED: CloseReason = {
  kind: 'retuned',
  description: 'The operator changed the encoder settings. OBS reconnects with them in about 45 seconds.',
  cause: 're-tuned',
  interruption: { observed: 'the operator changed the encoder settings', remedy: LET_RECONNECT },
};

export const SHUT_DOWN: CloseReason = {
  kind: 'shut-down',
  description: 'The server is restarting. Reconnect in a few seconds.',
  cause: 'server shut down',
  interruption: { observed: 'the server was stopped', remedy: LET_RECONNECT },
};

/** Sent when the time to leave a server that goes out of service is over. */
export const DRAINED: CloseReason = {
  kind: 'shut-down',
  description: 'This server is going out of service. Reconnect to continue on another one.',
  cause: 'drained',
  interruption: { observed: 'the server goes out of service', remedy: LET_RECONNECT },
};

/** Sent when the time to leave a process that was replaced by one of another version is over. */
export const REPLACED: CloseReason = {
  kind: 'shut-down',
  description: 'The server is being updated. Reconnect to continue.',
  cause: 'replaced',
  interruption: { observed: 'the server was updated', remedy: LET_RECONNECT },
};

/** Sent to a publisher whose connection may still be open. */
export const IDLE: CloseReason = {
  kind: 'idle',
  description: 'Nothing has arrived from this encoder for 30 s. Check its network, then start the stream again.',
  cause: 'idle',
  interruption: { observed: 'nothing arrived for 30 s' },
};

export const FAILED: CloseReason = {
  kind: 'fault',
  description: 'The server failed to process this stream. Reconnect.',
  cause: 'internal-error',
  interruption: {
    observed: 'the server failed to process it',
    remedy: 'Reconnect. If it happens again, tell the operator of the server.',
  },
};

/** Reason for input that cannot be read. `what`: for the user of the encoder; `cause`: the code of the error. */
export function unreadable(what: string, cause: string): CloseReason {
  return {
    kind: 'fault',
    description: `The server cannot read this stream: ${what}. Reconnect.`,
    cause,
    interruption: {
      observed: `the server cannot read it: ${what}`,
      remedy: 'Start the stream again. If it happens again, update the encoder.',
    },
  };
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
