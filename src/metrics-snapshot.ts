/** What a process counts, as plain data: it crosses processes as JSON and is added up before it is shown. */
import type { JournalEntry } from './ports.js';

type Counts = Readonly<Record<string, number>>;

export interface MetricsSnapshot {
  // -------- as it is now
  readonly connections: number;
  readonly publishers: number;
  readonly feedReaders: number;
  /** Changes of error records that the store does not have yet. */
  readonly journalPending: number;
  /** Bytes of recordings on disk that are not yet a finished video. */
  readonly spoolBytes: number;
  /** Media jobs that wait or run, by kind. */
  readonly jobs: Counts;
  // -------- since the start
  readonly connectionsOpened: number;
  readonly handshakeFailures: number;
  readonly connectionsRefused: number;
  readonly publishesRefused: Counts;
  readonly bytesReceived: number;
  readonly packetsReceived: number;
  readonly journalDropped: number;
  readonly probeSamples: number;
  readonly probeDisagreements: number;
  /** Raised, by code of the error catalogue. */
  readonly violationsRaised: Counts;
  readonly violationsCleared: Counts;
}

export const EMPTY_SNAPSHOT: MetricsSnapshot = {
  connections: 0,
  publishers: 0,
  feedReaders: 0,
  journalPending: 0,
  spoolBytes: 0,
  jobs: {},
  connectionsOpened: 0,
  handshakeFailures: 0,
  connectionsRefused: 0,
  publishesRefused: {},
  bytesReceived: 0,
  packetsReceived: 0,
  journalDropped: 0,
  probeSamples: 0,
  probeDisagreements: 0,
  violationsRaised: {},
  violationsCleared: {},
};

/** Of several processes, one. */
export function addSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const names = Object.keys(EMPTY_SNAPSHOT) as (keyof MetricsSnapshot)[];
  const sums = names.map((name) => [name, snapshots.map((each) => each[name]).reduce(add, EMPTY_SNAPSHOT[name])]);
  return Object.fromEntries(sums) as MetricsSnapshot;
}

function add(left: number | Counts, right: number | Counts): number | Counts {
  if (typeof left === 'number') return left + (typeof right === 'number' ? right : 0);
  if (typeof right === 'number') return left;
  const sums: Record<string, number> = { ...left };
  for (const [name, count] of Object.entries(right)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** Counts what the journal takes. */
export class ViolationCounter {
  readonly raised: Record<string, number> = {};
  readonly cleared: Record<string, number> = {};

  onJournalled(entries: readonly JournalEntry[]): void {
    for (const { change } of entries) {
      if (change.change === 'counted') continue;
      const counts = change.change === 'raised' ? this.raised : this.cleared;
      counts[change.body.error_code] = (counts[change.body.error_code] ?? 0) + 1;
    }
  }
}
