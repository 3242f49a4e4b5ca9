/** What happens in a run: everything follows from the seed, and each fault can be left out without changing the others. */
import { seededRandom } from '../support/random.js';
import type { StoreKind } from './store-state.js';

/** Faults begin before this, and are over by `HEALED_MS`. */
const FAULTS_UNTIL_MS = 30_000;
export const HEALED_MS = 38_000;
const FAULTS_FROM_MS = 2_500;
const MOST_FAULTS = 9;

/** How often each comes, beside the others. */
export const FAULT_WEIGHTS = {
  kill: 5,
  'power-loss': 2,
  stop: 2,
  'stand-still': 4,
  'slow-process': 2,
  'store-refuses': 3,
  'store-hangs': 2,
  'store-slow': 2,
  'store-fails-over': 4,
  'disk-full': 2,
  'disk-slow': 2,
  'disk-nearly-full': 1,
  drop: 3,
  vanish: 3,
  double: 3,
  change: 3,
  unpublish: 1,
  'owner-ends': 1,
  'owner-deletes': 0.5,
  'owner-edits': 1,
  'receiver-away': 2,
} as const;

export type FaultKind = keyof typeof FAULT_WEIGHTS;

const WEIGHTS = Object.entries(FAULT_WEIGHTS) as [FaultKind, number][];
const WEIGHT = WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);

function kindAt(share: number): FaultKind {
  let left = share * WEIGHT;
  for (const [kind, weight] of WEIGHTS) {
    left -= weight;
    if (left < 0) return kind;
  }
  return 'kill';
}

export interface Fault {
  readonly kind: FaultKind;
  readonly atMs: number;
  readonly forMs: number;
  /** Chooses a server, an encoder or a broadcast. */
  readonly target: number;
  /** Between 0 and 1: how much. */
  readonly degree: number;
}

export interface Plan {
  readonly store: StoreKind;
  readonly servers: number;
  /** Processes that share a machine, and its disk. */
  readonly perMachine: number;
  readonly broadcasts: number;
  readonly isRecorded: boolean;
  /** Recordings are written past the page cache. */
  readonly isDirect: boolean;
  /** Each broadcast has a backup, to which an encoder of its own publishes. */
  readonly isPair: boolean;
  /** Broadcasts are created as previews, and go LIVE when their owner wants it. */
  readonly isPreview: boolean;
  readonly faults: readonly Fault[];
}

/** What ends the broadcast comes late, so that the faults before it meet one that runs. */
const ENDINGS: readonly FaultKind[] = ['unpublish', 'owner-ends', 'owner-deletes'];
const ENDS_FROM_MS = 20_000;

/** How long each lasts at most; those that are over at once last nothing. */
const timeOf = (kind: FaultKind, atMs: number): number =>
  ENDINGS.includes(kind) ? Math.max(atMs, ENDS_FROM_MS) : atMs;

const LONGEST_MS: Partial<Record<FaultKind, number>> = {
  kill: 8_000,
  'power-loss': 8_000,
  stop: 5_000,
  'stand-still': 16_000,
  'slow-process': 10_000,
  'store-refuses': 12_000,
  'store-hangs': 9_000,
  'store-slow': 10_000,
  'store-fails-over': 5_000,
  'disk-full': 12_000,
  'disk-slow': 10_000,
  'disk-nearly-full': 8_000,
  'receiver-away': 15_000,
};

/** More of them cost more, and find little that three do not. */
const SERVERS = [1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5];

export function planOf(seed: number): Plan {
  const random = seededRandom(seed ^ 0x5eed);
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const store: StoreKind = random() < 0.6 ? 'redis' : 'embedded';
  const servers = SERVERS[whole(0, SERVERS.length - 1)] ?? 1;
  const sharing = random();
  const broadcasts = whole(1, 2);
  const isRecorded = random() < 0.3;
  const isDirect = random() < 0.5;
  const isPreview = random() < 0.15;
  const faults = Array.from({ length: whole(1, MOST_FAULTS) }, () => ({
    kind: kindAt(random()),
    atMs: Math.round(FAULTS_FROM_MS + random() * (FAULTS_UNTIL_MS - FAULTS_FROM_MS)),
    share: random(),
    target: whole(0, 1_000),
    degree: random(),
  }));
  // Half of the plans have their faults close together: one then meets what the other began.
  const isClose = random() < 0.5;
  const aroundMs = FAULTS_FROM_MS + random() * 20_000;
  const isPair = random() < 0.2;
  return {
    store,
    servers,
    // The embedded store is on the machine of all its processes.
    perMachine: store === 'embedded' ? servers : sharing < 0.7 ? 1 : 2,
    broadcasts,
    // Segments of two encoders are one recording, which this simulation does not read.
    isRecorded: isRecorded && !isPair,
    isDirect,
    isPair,
    isPreview,
    faults: faults
      .map(({ share, ...fault }) => ({
        ...fault,
        atMs: timeOf(fault.kind, isClose ? Math.round(aroundMs + (fault.atMs - FAULTS_FROM_MS) / 5) : fault.atMs),
        forMs: Math.round((LONGEST_MS[fault.kind] ?? 0) * share ** 2),
      }))
      .sort((left, right) => left.atMs - right.atMs),
  };
}
