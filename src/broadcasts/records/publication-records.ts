/** The error records of one publication: from the judge to log and journal, then to the encoder. */

import type { Now, StreamJudge } from '../../judge/judge.js';
import type { EndReason } from '../../lifecycle/documents.js';
import type { ErrorSink, JournalEntry, Log } from '../../ports/index.js';
import { SERVICE_CODES } from '../../rules/registry/service-codes.js';
import type { MatchDetails, RecordBody, RecordChange } from '../../spec/error-record.js';
import type { Interruption } from '../publisher/close-reasons.js';
import type { DisconnectKind, EncoderChannel } from '../publisher/publisher.js';
import { RecordNotifier } from './record-notifier.js';

export interface PublicationRecordsOptions {
  readonly liveVideoId: string;
  readonly fence: number;
  readonly judge: StreamJudge;
  readonly errors: ErrorSink;
  readonly channel: EncoderChannel;
  readonly log: Log;
  /** False while another process may have the broadcast: changes then stay with the judge. */
  readonly mayWrite: () => boolean;
}

const NOTHING: Promise<readonly JournalEntry[]> = Promise.resolve([]);

export class PublicationRecords {
  readonly #options: PublicationRecordsOptions;
  readonly #judge: StreamJudge;
  readonly #notifier: RecordNotifier;
  readonly #seenKinds = new Set<number>();
  #number = 0;

  /** Must be created before the judge gets its first packet: records open now were left open by an earlier connection. */
  constructor(options: PublicationRecordsOptions) {
    const { liveVideoId, judge, channel } = options;
    this.#options = options;
    this.#judge = judge;
    this.#notifier = new RecordNotifier(liveVideoId, (notice) => channel.notify(notice), judge.openErrors);
  }

  // ---------------------------------------------------------------- to the journal

  /** Moves the judge's pending changes to the journal. Resolves with those that may be sent to the encoder. */
  take(): Promise<readonly JournalEntry[]> {
    const { liveVideoId, fence, errors, mayWrite } = this.#options;
    if (!mayWrite()) return NOTHING;
    const entries = this.#judge.takeChanges().map((change) => {
      this.#number++;
      this.#logFirst(change);
      return { broadcastId: liveVideoId, fence, number: this.#number, change };
    });
    return errors.append(entries);
  }

  #logFirst({ change, body }: RecordChange): void {
    if (change !== 'raised' || this.#seenKinds.has(body.error_code)) return;
    this.#seenKinds.add(body.error_code);
    this.#options.log.warn(
      { error_code: body.error_code, error_type: body.error_type, stream_time_ms: body.stream_time_ms },
      body.description,
    );
  }

  /** Resolves like `take`. */
  note(code: number, observed: string, atMs: number, match?: MatchDetails): Promise<readonly JournalEntry[]> {
    this.#judge.note(code, { observed, atMs, match });
    return this.take();
  }

  /** The encoder disconnected. Open records stay open while the broadcast can resume; one that was never LIVE starts over. */
  interrupt(at: Now, how: DisconnectKind, isLive: boolean, by?: Interruption): void {
    this.#judge.disconnect({ ...at, clean: how === 'unpublished' });
    if (isLive && how === 'lost')
      this.#judge.note(SERVICE_CODES.streamInterrupted, { ...(by ?? { observed: 'connection lost' }), atMs: at.atMs });
    if (!isLive) this.#judge.end(at);
    this.#judge.flush();
    void this.take();
  }

  /** Closes all open records. Returns the record of the end; for a stop from outside it is created here. */
  close(at: Now, reason: EndReason | undefined): RecordBody | undefined {
    if (reason?.code === SERVICE_CODES.copyrightViolation)
      void this.note(SERVICE_CODES.copyrightViolation, reason.text, at.atMs);
    const endRecord = reason === undefined || reason.code === 0 ? undefined : this.#judge.lastRecord(reason.code);
    this.#judge.end(at);
    void this.take();
    return endRecord;
  }

  // ---------------------------------------------------------------- to the encoder

  /** Sends a change that is durable, subject to the notice interval. */
  notify({ change }: JournalEntry, atMs: number): void {
    this.#notifier.notify(change, atMs);
  }

  notifyLeftOpen(atMs: number): void {
    this.#notifier.notifyLeftOpen(this.#judge, atMs);
  }

  /** Sends changes that the notice interval held back. */
  flush(atMs: number): void {
    this.#notifier.flush(atMs);
  }
}
