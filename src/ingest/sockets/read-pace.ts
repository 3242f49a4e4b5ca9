/**
 * Reads connections in turns. Between two turns of a connection the kernel keeps what arrives. When a packet comes, the state of
 * its connection has left the processor's caches, which costs more than the packet; a turn reads several. A turn reads past the
 * event loop: after `readStop`, libuv leaves the socket in its epoll until the next packet has woken the process for nothing.
 * Measured in docs/decisions/0024-reads-at-intervals.md.
 */

/** Part of libuv's streams that a handle of Node offers. */
export interface ReadHandle {
  readStart(): number;
  readStop(): number;
}

/** Members of a group; each group has a turn of its own, so that nothing else waits for all: 64 of 4.8 Mbit/s take 10 ms. */
const GROUP_SIZE = 64;
/**
 * A connection that delivers more than this in a turn, in the mean of two so that a key frame does not count, is read as it arrives
 * until the next one, so that no sender waits for a window of TCP. 10 Mbit/s at 100 ms.
 */
const BUSY_BYTES = 128 * 1024;
/** Reads of the kernel in a turn: what is left then is read as it arrives. */
const READS_OF_A_TURN = 3;

/** Left in the kernel after a read: perhaps more bytes, nothing, or the end of the stream, which the event loop reports. */
export type Left = 'more' | 'nothing' | 'end';

/** The bytes of one connection. */
export interface PacedSource {
  /** Bytes so far. */
  readonly received: number;
  /** Undefined once the socket is destroyed: its handle must not be used any more. */
  readonly handle: ReadHandle | undefined;
  /** Reads once from the kernel, past the event loop. */
  readNow(): Left;
}

/** One connection. */
export class PacedRead {
  readonly #source: PacedSource;
  #before: number;
  /** Bytes of the turn before. */
  #earlierBytes = 0;
  #isResting = false;
  /** Bytes of its last turn, while it rests; 0 while it is read as it arrives. */
  lastBytes = 0;

  constructor(source: PacedSource) {
    this.#source = source;
    this.#before = source.received;
  }

  takeTurn(): void {
    const source = this.#source;
    let left: Left = 'more';
    for (let reads = 0; left === 'more' && reads < READS_OF_A_TURN && source.handle !== undefined; reads++)
      left = source.readNow();
    const bytes = source.received - this.#before;
    this.#before = source.received;
    const rests = left === 'nothing' && bytes + this.#earlierBytes <= 2 * BUSY_BYTES;
    this.#earlierBytes = bytes;
    this.lastBytes = rests ? bytes : 0;
    if (rests !== this.#isResting) this.#rest(rests);
  }

  /** Reads it as it arrives from now on. */
  end(): void {
    this.lastBytes = 0;
    if (this.#isResting) this.#rest(false);
  }

  #rest(rests: boolean): void {
    this.#isResting = rests;
    const { handle } = this.#source;
    if (rests) handle?.readStop();
    else handle?.readStart();
  }
}

export class ReadPace {
  readonly #intervalMs: number;
  #groups: Set<PacedRead>[] = [];
  #members = 0;
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `intervalMs`: between two reads of a connection; 0: all are read as they arrive. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  get members(): number {
    return this.#members;
  }

  join(member: PacedRead): void {
    if (this.#intervalMs === 0) return;
    if (this.#members === this.#groups.length * GROUP_SIZE) this.#regroup([...this.#groups, new Set()]);
    this.#groups.reduce((least, group) => (group.size < least.size ? group : least)).add(member);
    this.#members++;
  }

  /** Reads it as it arrives from now on. */
  leave(member: PacedRead): void {
    const group = this.#groups.find((each) => each.delete(member));
    if (group === undefined) return;
    member.end();
    this.#members--;
    if (group.size === 0) this.#regroup(this.#groups.filter((each) => each !== group));
  }

  #regroup(groups: Set<PacedRead>[]): void {
    this.#groups = groups;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (groups.length > 0) this.#timer = setInterval(() => this.#takeTurn(), this.#intervalMs / groups.length).unref();
  }

  #takeTurn(): void {
    this.#turn = (this.#turn + 1) % this.#groups.length;
    for (const member of this.#groups[this.#turn] as Set<PacedRead>) member.takeTurn();
  }
}
