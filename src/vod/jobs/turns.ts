/**
 * Decides which job runs next: owners take turns within a lane, and each owner's jobs run in order of due time. Pure.
 * Each process keeps its own turns, so a job waits for at most one job of each other owner per slot.
 */
import type { Lane } from './job.js';
import { LANES, type LaneLimits, OWNERS_KEPT } from './limits.js';

export interface QueuedJob {
  readonly id: string;
  readonly ownerId: string;
  readonly lane: Lane;
}

export type LaneTable = Readonly<Record<Lane, LaneLimits>>;

export class Turns {
  readonly #lanes: LaneTable;
  /** `lane owner` → number of its last turn. */
  readonly #served = new Map<string, number>();
  #turn = 0;

  constructor(lanes: LaneTable = LANES) {
    this.#lanes = lanes;
  }

  /** `waiting` is sorted by due time. Picks the owner below its limit whose last turn is longest ago. */
  next(waiting: readonly QueuedJob[], running: readonly QueuedJob[]): QueuedJob | undefined {
    let best: QueuedJob | undefined;
    let bestTurn = Number.POSITIVE_INFINITY;
    const open = openSlots(this.#lanes, running);
    for (const job of waiting) {
      const turn = this.#served.get(keyOf(job)) ?? 0;
      if (turn < bestTurn && open(job)) {
        best = job;
        bestTurn = turn;
      }
    }
    return best;
  }

  /** Records that the job started, as its owner's turn. Owners with the oldest turns are evicted first. */
  taken(job: QueuedJob): void {
    const key = keyOf(job);
    this.#served.delete(key);
    this.#served.set(key, ++this.#turn);
    if (this.#served.size <= OWNERS_KEPT) return;
    for (const oldest of this.#served.keys()) {
      this.#served.delete(oldest);
      return;
    }
  }
}

/** Whether another owner's job waits for the slot of `job` in a full lane. */
export function blocksAnother(
  job: QueuedJob,
  waiting: readonly QueuedJob[],
  running: readonly QueuedJob[],
  lanes: LaneTable = LANES,
): boolean {
  const inLane = running.filter(({ lane }) => lane === job.lane);
  if (inLane.length < lanes[job.lane].slots) return false;
  return waiting.some(({ lane, ownerId }) => lane === job.lane && ownerId !== job.ownerId);
}

/** Counts once, so that a poll over thousands of waiting jobs stays linear. */
function openSlots(lanes: LaneTable, running: readonly QueuedJob[]): (job: QueuedJob) => boolean {
  const ofLane = new Map<Lane, number>();
  const ofOwner = new Map<string, number>();
  for (const job of running) {
    ofLane.set(job.lane, (ofLane.get(job.lane) ?? 0) + 1);
    ofOwner.set(keyOf(job), (ofOwner.get(keyOf(job)) ?? 0) + 1);
  }
  return (job) => {
    const { slots, perOwner } = lanes[job.lane];
    return (ofLane.get(job.lane) ?? 0) < slots && (ofOwner.get(keyOf(job)) ?? 0) < perOwner;
  };
}

function keyOf({ lane, ownerId }: QueuedJob): string {
  return `${lane} ${ownerId}`;
}
