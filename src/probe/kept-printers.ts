/** Processes that make prints of sound, one for each owner: starting one takes ten times as long as a sample. */
import type { KeptPrinter } from './kept-printer.js';

export const KEPT_PRINTERS = {
  /** Each has 13 MB of its own. Owners beyond have a process for each sample. */
  processes: 32,
  /** Without a sample: its broadcasts have ended. */
  idleMs: 120_000,
  /** An owner whose process ended has none for this time: damaged sound costs no more than without. */
  restMs: 60_000,
  /** Samples of one process, which has limited processor time. */
  samples: 1_000,
} as const;

export interface KeptPrintersDeps {
  readonly open: () => Pick<KeptPrinter, 'print' | 'close' | 'isOver'>;
  readonly nowMs?: () => number;
}

interface Kept {
  readonly printer: ReturnType<KeptPrintersDeps['open']>;
  readonly idle: NodeJS.Timeout;
  samples: number;
}

export interface KeptPrint {
  readonly items: Buffer;
  /** The process was started for it. */
  readonly isStarted: boolean;
}

export class KeptPrinters {
  readonly #open: KeptPrintersDeps['open'];
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Kept>();
  /** When owners whose process ended may have another. */
  readonly #resting = new Map<string, number>();

  constructor({ open, nowMs = () => performance.now() }: KeptPrintersDeps) {
    this.#open = open;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Undefined if the owner has no process for this sample. @throws ToolError after `timeoutMs` */
  async print(owner: string, flv: Uint8Array, timeoutMs: number): Promise<KeptPrint | undefined> {
    const isStarted = !this.#kept.has(owner);
    const kept = this.#kept.get(owner) ?? this.#start(owner);
    if (kept === undefined) return undefined;
    kept.idle.refresh();
    kept.samples++;
    try {
      const items = await kept.printer.print(flv, timeoutMs);
      return items === undefined ? undefined : { items, isStarted };
    } finally {
      if (kept.printer.isOver) this.#rest(owner);
      else if (kept.samples >= KEPT_PRINTERS.samples) this.#close(owner);
    }
  }

  #start(owner: string): Kept | undefined {
    const now = this.#nowMs();
    for (const [each, untilMs] of this.#resting) if (untilMs <= now) this.#resting.delete(each);
    if (this.#kept.size >= KEPT_PRINTERS.processes || this.#resting.has(owner)) return undefined;
    const idle = setTimeout(() => this.#close(owner), KEPT_PRINTERS.idleMs).unref();
    const kept = { printer: this.#open(), idle, samples: 0 };
    this.#kept.set(owner, kept);
    return kept;
  }

  #rest(owner: string): void {
    this.#resting.set(owner, this.#nowMs() + KEPT_PRINTERS.restMs);
    this.#close(owner);
  }

  #close(owner: string): void {
    const kept = this.#kept.get(owner);
    if (kept === undefined) return;
    clearTimeout(kept.idle);
    kept.printer.close();
    this.#kept.delete(owner);
  }

  close(): void {
    for (const owner of [...this.#kept.keys()]) this.#close(owner);
  }
}
