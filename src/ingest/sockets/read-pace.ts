/**
 * Reads connections at intervals. Between two reads the kernel keeps what arrives. When a packet comes, the state of its
 * connection has left the processor's caches, which costs more than the packet; at intervals, one turn reads several.
 * Measured in docs/decisions/0024-reads-at-intervals.md.
 */

/** Part of libuv's streams that a handle of Node offers. */
export interface ReadHandle {
  readStart(): number;
  readStop(): number;
}

/** So that no turn of the event loop reads all connections: others wait for it. */
const GROUPS = 2;
/**
 * A connection that delivers more in a turn is read as it arrives until the next one, so that no sender waits for a window
 * of TCP. 10 Mbit/s at 100 ms.
 */
const BUSY_BYTES = 128 * 1024;

export interface ReadPaceSettings {
  /** Between two reads of a connection; 0: all are read as they arrive. */
  readonly intervalMs: number;
  /** With fewer members all are read as they arrive: there is processor time enough, and encoders are told sooner. */
  readonly leastMembers: number;
}

/** One connection. */
export class PacedRead {
  readonly #handle: () => ReadHandle | undefined;
  readonly #received: () => number;
  #before: number;
  /** Bytes of its last turn, while it rests; 0 while it is read as it arrives. */
  lastBytes = 0;

  /**
   * `handle` is undefined once the socket is destroyed: its handle must not be used any more. `received`: bytes so far.
   */
  constructor(handle: () => ReadHandle | undefined, received: () => number) {
    this.#handle = handle;
    this.#received = received;
    this.#before = received();
  }

  begin(): void {
    this.#handle()?.readStart();
  }

  end(mayRest: boolean): void {
    const received = this.#received();
    const bytes = received - this.#before;
    this.#before = received;
    const rests = mayRest && bytes <= BUSY_BYTES;
    this.lastBytes = rests ? bytes : 0;
    if (rests) this.#handle()?.readStop();
  }
}

export class ReadPace {
  readonly #settings: ReadPaceSettings;
  readonly #groups = Array.from({ length: GROUPS }, () => new Set<PacedRead>());
  #members = 0;
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: ReadPaceSettings) {
    this.#settings = settings;
  }

  join(member: PacedRead): void {
    const { intervalMs } = this.#settings;
    if (intervalMs === 0) return;
    this.#groups.reduce((least, group) => (group.size < least.size ? group : least)).add(member);
    this.#members++;
    this.#timer ??= setInterval(() => this.#begin(), intervalMs / GROUPS).unref();
  }

  /** Reads it as it arrives from now on. */
  leave(member: PacedRead): void {
    if (!this.#groups.some((group) => group.delete(member))) return;
    member.lastBytes = 0;
    member.begin();
    this.#members--;
    if (this.#members > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    this.#turn = (this.#turn + 1) % GROUPS;
    for (const member of this.#group) member.begin();
    // After the poll phase, which reads what is there.
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    const mayRest = this.#members >= this.#settings.leastMembers;
    for (const member of this.#group) member.end(mayRest);
  };

  get #group(): Set<PacedRead> {
    return this.#groups[this.#turn] as Set<PacedRead>;
  }
}
