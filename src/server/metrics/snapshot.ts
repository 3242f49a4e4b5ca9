/** Counts of one process as plain data: sent as JSON and added up before they are shown. */
import type { ProcessUsage } from '../system/process-usage.js';

export type Counts = Readonly<Record<string, number>>;

export interface DiskCounts {
  readonly freeBytes: number;
  /** Bytes that must stay free. */
  readonly reserveBytes: number;
}

/** Values shared by all processes of a machine or all machines of a store; never added up. */
export interface SharedSnapshot {
  /** Bytes of recordings on this disk that are not yet a finished video. `undefined`: unknown. */
  readonly spoolBytes: number | undefined;
  /** Of the disk of the data folder. `undefined`: unknown. */
  readonly disk: DiskCounts | undefined;
  /** Waiting and running media jobs of the whole store, by kind. `undefined`: unknown. */
  readonly jobs: Counts | undefined;
  /** Wall-clock time at which the first certificate of the listeners' chain expires. `undefined`: unknown. */
  readonly certificateExpiresMs: number | undefined;
}

export interface MetricsSnapshot {
  // -------- as it is now
  readonly connections: number;
  readonly publishers: number;
  readonly feedReaders: number;
  /** Changes of error records that are not in the store yet. */
  readonly journalPending: number;
  /** Viewers of running broadcasts, over FLV and HLS. */
  readonly playbackViewers: number;
  /** Viewers forwarded to the server that receives the broadcast, which counts them too. */
  readonly playbackForwarded: number;
  /** Broadcasts that are relayed for viewers. */
  readonly playbackRelays: number;
  /** Received broadcasts that are not recorded because the disk is full or failed. */
  readonly recordingsPaused: number;
  /** The 99th percentile since the last query, of the process with the highest value. */
  readonly eventLoopDelaySeconds: number;
  /** 1 while the copyright detector compares, and the references and bytes of its index. */
  readonly copyrightOn: number;
  /** 1 if ffmpeg lacks the muxer. */
  readonly copyrightUnavailable: number;
  readonly copyrightReferences: number;
  readonly copyrightIndexBytes: number;
  /** Decoders of sound that are kept. */
  readonly copyrightDecoders: number;
  /** Broadcasts whose sound is compared, by how. */
  readonly copyrightStreams: Counts;
  /** 1 while the server takes no new publisher. */
  readonly draining: number;
  /** Request bodies that are held in memory, and their bound. */
  readonly httpBodyBytes: number;
  readonly httpBodyLimitBytes: number;
  // -------- as it is now, by role
  readonly residentBytes: Counts;
  readonly heapBytes: Counts;
  /** As `eventLoopDelaySeconds`, in each role. */
  readonly loopDelaySeconds: Counts;
  // -------- since the start
  /** By role. */
  readonly cpuSeconds: Counts;
  /** By role: processes that were replaced. */
  readonly roleRestarts: Counts;
  /** Sockets of the HTTP port that were refused, or closed to make room. */
  readonly httpSocketsRefused: number;
  readonly connectionsOpened: number;
  readonly handshakeFailures: number;
  readonly connectionsRefused: number;
  readonly publishesRefused: Counts;
  readonly bytesReceived: number;
  readonly packetsReceived: number;
  readonly journalDropped: number;
  readonly logLinesDropped: number;
  /** How often a recording stopped or did not begin because of the disk. */
  readonly recordingsStopped: number;
  /** Bytes of recordings, and of pictures from them, that the retention removed. */
  readonly retentionBytes: number;
  /** Playback servers and ingest processes that exited unexpectedly. */
  readonly playbackServerEnds: number;
  readonly ingestProcessEnds: number;
  readonly probeSamples: number;
  readonly probeSkipped: number;
  readonly probeDisagreements: number;
  /** Samples of sound compared with copyright references, samples that were not, and matches. */
  readonly copyrightSamples: number;
  readonly copyrightSkipped: number;
  readonly copyrightMatches: number;
  /** Raised, by code of the error catalogue. */
  readonly violationsRaised: Counts;
  readonly violationsCleared: Counts;
}

/** What is as it is now, in a process that has ended. */
const NOTHING_NOW = {
  connections: 0,
  publishers: 0,
  feedReaders: 0,
  journalPending: 0,
  playbackViewers: 0,
  playbackForwarded: 0,
  playbackRelays: 0,
  recordingsPaused: 0,
  eventLoopDelaySeconds: 0,
  copyrightOn: 0,
  copyrightUnavailable: 0,
  copyrightReferences: 0,
  copyrightIndexBytes: 0,
  copyrightDecoders: 0,
  copyrightStreams: {},
  draining: 0,
  httpBodyBytes: 0,
  httpBodyLimitBytes: 0,
  residentBytes: {},
  heapBytes: {},
  loopDelaySeconds: {},
} satisfies Partial<MetricsSnapshot>;

export const EMPTY_SNAPSHOT: MetricsSnapshot = {
  ...NOTHING_NOW,
  cpuSeconds: {},
  roleRestarts: {},
  httpSocketsRefused: 0,
  connectionsOpened: 0,
  handshakeFailures: 0,
  connectionsRefused: 0,
  publishesRefused: {},
  bytesReceived: 0,
  packetsReceived: 0,
  journalDropped: 0,
  logLinesDropped: 0,
  recordingsStopped: 0,
  retentionBytes: 0,
  playbackServerEnds: 0,
  ingestProcessEnds: 0,
  probeSamples: 0,
  probeSkipped: 0,
  probeDisagreements: 0,
  copyrightSamples: 0,
  copyrightSkipped: 0,
  copyrightMatches: 0,
  violationsRaised: {},
  violationsCleared: {},
};

/** One value stands for several processes. */
export function addSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const names = Object.keys(EMPTY_SNAPSHOT) as (keyof MetricsSnapshot)[];
  const sums = names.map((name) => [name, snapshots.map((each) => each[name]).reduce(add, EMPTY_SNAPSHOT[name])]);
  const eventLoopDelaySeconds = Math.max(0, ...snapshots.map((each) => each.eventLoopDelaySeconds));
  const loopDelaySeconds: Record<string, number> = {};
  for (const [role, delay] of snapshots.flatMap((each) => Object.entries(each.loopDelaySeconds))) {
    loopDelaySeconds[role] = Math.max(delay, loopDelaySeconds[role] ?? 0);
  }
  return { ...(Object.fromEntries(sums) as MetricsSnapshot), eventLoopDelaySeconds, loopDelaySeconds };
}

/** The totals of a process that ended are kept: a shrinking total would look like a restart. */
export function totalsOf(snapshot: MetricsSnapshot): MetricsSnapshot {
  return { ...snapshot, ...NOTHING_NOW };
}

/** The usage of one process, as a part of its snapshot. */
export function usageCounts(
  role: string,
  { residentBytes, heapBytes, cpuSeconds, loopDelaySeconds, logLinesDropped }: ProcessUsage,
): Pick<MetricsSnapshot, keyof ProcessUsage | 'eventLoopDelaySeconds'> {
  return {
    eventLoopDelaySeconds: loopDelaySeconds,
    residentBytes: { [role]: residentBytes },
    heapBytes: { [role]: heapBytes },
    cpuSeconds: { [role]: cpuSeconds },
    loopDelaySeconds: { [role]: loopDelaySeconds },
    logLinesDropped,
  };
}

function add(left: number | Counts, right: number | Counts): number | Counts {
  if (typeof left === 'number') return left + (typeof right === 'number' ? right : 0);
  if (typeof right === 'number') return left;
  const sums: Record<string, number> = { ...left };
  for (const [name, count] of Object.entries(right)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
