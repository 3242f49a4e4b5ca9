/** Bounds on bytes held at one time: in total, and per holder, so that one holder cannot use up the total. */
export interface BudgetLimits {
  readonly total: number;
  readonly perHolder: number;
}

export type Shortage = 'total' | 'holder';

export class ByteBudget {
  readonly #limits: BudgetLimits;
  readonly #byHolder = new Map<string, number>();
  #held = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  get held(): number {
    return this.#held;
  }

  open(holder: string): ByteShare {
    return new ByteShare((bytes) => this.#take(holder, bytes));
  }

  /** Negative `bytes` release. */
  #take(holder: string, bytes: number): Shortage | undefined {
    const ofHolder = (this.#byHolder.get(holder) ?? 0) + bytes;
    if (bytes > 0 && ofHolder > this.#limits.perHolder) return 'holder';
    if (bytes > 0 && this.#held + bytes > this.#limits.total) return 'total';
    this.#held += bytes;
    if (ofHolder === 0) this.#byHolder.delete(holder);
    else this.#byHolder.set(holder, ofHolder);
    return undefined;
  }
}

/** The share of one request in a budget. */
export class ByteShare {
  readonly #take: (bytes: number) => Shortage | undefined;
  #bytes = 0;

  constructor(take: (bytes: number) => Shortage | undefined) {
    this.#take = take;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the bound that would be exceeded, in which case nothing is taken. */
  take(bytes: number): Shortage | undefined {
    const shortage = this.#take(bytes);
    if (shortage === undefined) this.#bytes += bytes;
    return shortage;
  }

  release(): void {
    this.#take(-this.#bytes);
    this.#bytes = 0;
  }
}
