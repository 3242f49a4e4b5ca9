/** The records of one stream: those of its first video track, sound and arrival, and those of its other video tracks. */
import type { StreamFacts } from '../facts/stream-facts.js';
import type { EncoderSetup } from '../lifecycle/encoder-setup.js';
import type { VideoPacket } from '../media/packet.js';
import { Records } from '../rules/judging/records.js';
import type { RecordBody, RecordChange } from '../spec/error-record.js';
import { TrackJudges, type TrackResume } from './track-judges.js';

export interface StreamRecordsOptions {
  readonly isSecure: boolean;
  readonly facts: StreamFacts;
  readonly recordId: (number: number) => string;
  readonly remedy: (code: number, values: Readonly<Record<string, string>>) => string;
  readonly inputStream?: string | undefined;
}

export class StreamRecords {
  /** Records of everything but the other video tracks. */
  readonly main: Records;
  readonly #options: StreamRecordsOptions;
  /** The video tracks beside the first one; undefined until there is one. */
  #tracks: TrackJudges | undefined;

  constructor(options: StreamRecordsOptions) {
    this.#options = options;
    const { recordId, remedy, inputStream } = options;
    this.main = new Records({ recordId, remedy, inputStream });
  }

  /** True while changes are pending. */
  get changed(): boolean {
    return this.main.changed || this.#tracks?.changed === true;
  }

  takeChanges(): RecordChange[] {
    const changes = this.main.takeChanges();
    return this.#tracks === undefined ? changes : [...changes, ...this.#tracks.takeChanges()];
  }

  /** The newest record of a code, open or not. */
  last(code: number): RecordBody | undefined {
    return this.main.last(code) ?? this.#tracks?.last(code);
  }

  get openCodes(): number[] {
    if (this.#tracks === undefined) return this.main.openCodes;
    return [...new Set([...this.main.openCodes, ...this.#tracks.openCodes])].sort((a, b) => a - b);
  }

  strictFault(): RecordBody | undefined {
    return this.main.strictFault(this.#options.facts) ?? this.#tracks?.strictFault();
  }

  /** A packet of a track beside the first one. */
  trackVideo(packet: VideoPacket, messageNumber: number, byteOffset: number, wallMs: number): void {
    this.#others().video(packet, messageNumber, byteOffset, wallMs);
  }

  connect(isLive: boolean, announced: EncoderSetup | undefined): void {
    this.#tracks?.connect(isLive, announced);
  }

  goLive(): void {
    this.#tracks?.goLive();
  }

  /** Writes what is pending; records stay open. */
  flush(): void {
    this.main.flush(this.#options.facts);
    this.#tracks?.flush();
  }

  closeAll(wallMs: number): void {
    const { facts } = this.#options;
    this.main.flush(facts);
    this.main.closeAll(facts, wallMs);
    this.#tracks?.end(wallMs);
  }

  /** State of the other tracks; undefined if there are none. */
  resumeTracks(): { readonly tracks: readonly TrackResume[]; readonly open: readonly RecordBody[] } | undefined {
    return this.#tracks?.resume();
  }

  /** `open`: records that name a track. */
  restoreTracks(tracks: readonly TrackResume[] | undefined, open: readonly RecordBody[]): void {
    if (tracks !== undefined || open.length > 0) this.#others().restore(tracks ?? [], open);
  }

  #others(): TrackJudges {
    const { isSecure, facts, remedy, inputStream } = this.#options;
    const shared = { isSecure, stream: facts, remedy, inputStream };
    this.#tracks ??= new TrackJudges({ ...shared, nextId: () => this.main.nextId() });
    return this.#tracks;
  }
}
