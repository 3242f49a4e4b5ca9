/** The records of one publish session on their way from its judge to log, journal and encoder. */
import type { StreamJudge } from '../judge/judge.js';
import { type Clock, type ErrorSink, fenceOf, isOlderInput, type JournalEntry, type Log } from '../ports/index.js';
import type { RecordBody, RecordChange, StoredRecord } from '../spec/error-record.js';
import { openTime } from '../spec/open-time.js';
import type { EncoderChannel } from './publisher/publisher.js';
import { RecordNotifier } from './record-notifier.js';

interface PublicationRecordsOptions {
  readonly broadcastId: string;
  /** Makes the ids of the records distinct. */
  readonly fence: number;
  readonly judge: StreamJudge;
  readonly channel: EncoderChannel;
  readonly deps: { readonly errors: ErrorSink; readonly clock: Clock };
  readonly log: Log;
}

/** The record as it is cleared from outside of its judge. */
export function clearedAt(record: StoredRecord, wallMs: number): RecordChange {
  const { sequence: _, revision: __, opened_ms: ___, ...body } = record;
  const { toMs, openMs } = openTime(record, wallMs);
  return { change: 'cleared', body: { ...body, cleared_time_ms: toMs, open_ms: openMs } };
}

export class PublicationRecords {
  readonly #options: PublicationRecordsOptions;
  readonly #notices: RecordNotifier;
  readonly #loggedCodes = new Set<number>();
  #number = 0;
  readonly #beganMs: number;

  /** Records that are open now were left open by an earlier connection. */
  constructor(options: PublicationRecordsOptions) {
    this.#options = options;
    const { broadcastId, channel, judge, deps } = options;
    this.#beganMs = deps.clock.wallMs();
    this.#notices = new RecordNotifier(broadcastId, channel, judge.openErrors);
  }

  /** Moves the judge's pending changes to log and journal. Resolves with those that the encoder may be told. */
  take(): Promise<readonly JournalEntry[]> {
    const { broadcastId, fence, judge, deps } = this.#options;
    const entries = judge.takeChanges().map((change) => {
      if (change.change === 'raised') this.#logOnce(change.body);
      return { broadcastId, fence, number: ++this.#number, change };
    });
    return deps.errors.append(entries);
  }

  #logOnce({ error_code, error_type, stream_time_ms, description }: RecordBody): void {
    if (this.#loggedCodes.has(error_code)) return;
    this.#loggedCodes.add(error_code);
    this.#options.log.warn({ error_code, error_type, stream_time_ms }, description);
  }

  /** Clears records of earlier publishes that reached the store after this one began: its judge does not know them. */
  clearEarlier(open: readonly StoredRecord[], inputStream: string | undefined): void {
    const { broadcastId, fence, judge, deps } = this.#options;
    const known = new Set(judge.openErrors.map((code) => judge.lastRecord(code)?.id));
    // A process that stood still may raise a record of an earlier publish after this one began.
    const isEarlier = ({ id, timestampMs }: StoredRecord) =>
      inputStream === undefined
        ? fenceOf(id) < fence
        : fenceOf(id) !== fence && (timestampMs < this.#beganMs || isOlderInput(fenceOf(id), fence));
    const changes = open
      .filter(({ input_stream, track }) => input_stream === inputStream && track === undefined)
      .filter((record) => isEarlier(record) && !known.has(record.id))
      .map((record) => clearedAt(record, this.#beganMs));
    void deps.errors.append(changes.map((change) => ({ broadcastId, fence, number: ++this.#number, change })));
  }

  /** Notifies the encoder of durable records, except of the one that ends the broadcast: it is sent with the end. */
  push(entries: readonly JournalEntry[], atMs: number): void {
    const { judge, log } = this.#options;
    try {
      for (const { change } of entries)
        if (judge.ended?.code !== change.body.error_code) this.#notices.notify(change, atMs);
    } catch (error) {
      log.error({ error }, 'a record could not be sent to the encoder');
    }
  }

  notifyLeftOpen(atMs: number): void {
    this.#notices.notifyLeftOpen(this.#options.judge, atMs);
  }

  flush(atMs: number): void {
    this.#notices.flush(atMs);
  }
}
