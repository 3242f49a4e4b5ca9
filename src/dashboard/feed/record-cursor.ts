/**
 * Sends the error records of one broadcast to one subscriber: every change exactly once, in order of revision.
 * Records from the bus are forwarded if they continue what was sent; otherwise the gap is read from the store.
 */
import type { RecordStore } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';
import { errorView, type RecordSubject } from '../../spec/error-view.js';
import { FEED_LIMITS } from '../view/limits.js';
import type { FeedMessage } from '../view/protocol.js';

/** With its Video. */
export type Broadcast = RecordSubject & { readonly broadcastId: string };

export interface CursorOutput {
  readonly open: boolean;
  send(text: string): void;
  sendAndDrain(text: string): Promise<void>;
}

export class RecordCursor {
  readonly #broadcast: Broadcast;
  readonly #store: RecordStore;
  readonly #output: CursorOutput;
  /** The last revision sent. */
  #revision = 0;
  /** The store is being read; records that arrive from the bus meanwhile set `#again`, and it is read once more. */
  #reading = true;
  #again = false;

  constructor(broadcast: Broadcast, store: RecordStore, output: CursorOutput) {
    this.#broadcast = broadcast;
    this.#store = store;
    this.#output = output;
  }

  /** Sends the records that the subscriber lacks. Connect `add` to the bus first. Rejects if the store is unavailable. */
  async start(after: number | undefined, recent: number): Promise<void> {
    const { lastRevision } = await this.#store.counts(this.#broadcast.broadcastId);
    // A higher revision than the log's last one comes from a log that was deleted since.
    if (after !== undefined && after <= lastRevision) this.#revision = after;
    else await this.#snapshot(lastRevision, recent);
    await this.#read();
  }

  /** Records from the bus, in order of revision. `text` builds the message, once for all subscribers. */
  async add(records: readonly StoredRecord[], text: (broadcast: Broadcast) => string): Promise<void> {
    const last = records.at(-1);
    if (last === undefined || last.revision <= this.#revision) return;
    if (this.#reading) {
      this.#again = true;
      return;
    }
    if (records.every((record, index) => record.revision === this.#revision + 1 + index)) {
      this.#revision = last.revision;
      this.#output.send(text(this.#broadcast));
      return;
    }
    await this.catchUp();
  }

  /** Reads records from the store that the bus may have missed. */
  async catchUp(): Promise<void> {
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    await this.#read();
  }

  /** Skips records that change while the snapshot is read; `#read` sends their new state. */
  async #snapshot(revision: number, recent: number): Promise<void> {
    const found = new Map<string, StoredRecord>();
    const limit = FEED_LIMITS.recordsPerMessage;
    const open = await this.#store.page(this.#broadcast.broadcastId, { limit, open: true });
    const newest = recent === 0 ? undefined : await this.#store.page(this.#broadcast.broadcastId, { limit: recent });
    for (const record of [...open.records, ...(newest?.records ?? [])]) {
      if (record.revision <= revision) found.set(record.id, record);
    }
    const records = [...found.values()].sort((a, b) => a.revision - b.revision);
    this.#revision = revision;
    await this.#output.sendAndDrain(recordsText(this.#broadcast, records, revision, true));
  }

  async #read(): Promise<void> {
    try {
      for (let more = true; more && this.#output.open; ) {
        this.#again = false;
        const page = await this.#store.page(this.#broadcast.broadcastId, {
          limit: FEED_LIMITS.recordsPerMessage,
          afterRevision: this.#revision,
        });
        const last = page.records.at(-1);
        if (last !== undefined) {
          this.#revision = last.revision;
          await this.#output.sendAndDrain(recordsText(this.#broadcast, page.records, last.revision));
        }
        more = page.hasNext || this.#again;
      }
    } finally {
      this.#reading = false;
    }
  }
}

export function recordsText(
  broadcast: Broadcast,
  records: readonly StoredRecord[],
  revision: number,
  snapshot = false,
): string {
  const message: FeedMessage = {
    type: 'records',
    broadcast_id: broadcast.broadcastId,
    ...(snapshot ? { snapshot: true } : {}),
    records: records.map((record) => errorView(record, broadcast)),
    revision,
  };
  return JSON.stringify(message);
}
