/** Judges the video tracks of a stream beside the first one, each on its own pictures and against its own row of the specification. */
import { END, RATE_CLASS, VIDEO_CONFIG } from '../facts/measures/events.js';
import { type FactsSnapshot, StreamFacts } from '../facts/stream-facts.js';
import { announcedVideo, type EncoderSetup, videoTracks } from '../lifecycle/encoder-setup.js';
import type { VideoPacket } from '../media/packet.js';
import { Evaluation, type EvaluationSnapshot } from '../rules/judging/evaluate.js';
import { Records } from '../rules/judging/records.js';
import type { RecordBody, RecordChange } from '../spec/error-record.js';
import { LIVE_MEASURES } from './measures.js';

/** OBS sends up to 10; each costs as much memory as a stream. */
const MAX_TRACK_ID = 9;

const SETTINGS_EVENTS = VIDEO_CONFIG | RATE_CLASS;

/** State of one track that survives a reconnect or restart. JSON-safe. */
export interface TrackResume {
  readonly track: number;
  readonly facts: FactsSnapshot;
  readonly records: Omit<EvaluationSnapshot, 'open' | 'lastNumber'>;
}

export interface TrackJudgesOptions {
  readonly isSecure: boolean;
  /** The facts of the stream, whose clock and state new tracks start with. */
  readonly stream: StreamFacts;
  readonly nextId: () => string;
  readonly remedy: (code: number, values: Readonly<Record<string, string>>) => string;
  readonly inputStream?: string | undefined;
}

interface Track {
  readonly facts: StreamFacts;
  readonly records: Records;
  readonly evaluation: Evaluation;
}

export class TrackJudges {
  readonly #options: TrackJudgesOptions;
  readonly #tracks = new Map<number, Track>();

  constructor(options: TrackJudgesOptions) {
    this.#options = options;
  }

  /** `trackId` is not 0. */
  video(packet: VideoPacket, messageNumber: number, byteOffset: number, wallMs: number): void {
    const track = this.#track(packet.trackId);
    if (track === undefined) return;
    const { facts, evaluation } = track;
    const events = facts.observeVideo(packet, messageNumber, byteOffset);
    if ((events & SETTINGS_EVENTS) !== 0) facts.settings.complete();
    if ((events & evaluation.events) !== 0) evaluation.run(facts, events, wallMs);
  }

  /** `isLive`: the settings of this track go on to be its reference, unless the server announced others. */
  connect(isLive: boolean, announced: EncoderSetup | undefined): void {
    const { stream } = this.#options;
    const settings = announced === undefined ? [] : videoTracks(announced);
    for (const [id, { facts, evaluation }] of this.#tracks) {
      const told = settings[id];
      if (isLive && told !== undefined) facts.settings.announceVideo(announcedVideo(told));
      if (!isLive) facts.video.rate.class = undefined;
      facts.streamTimeMs = stream.connectionStartMs;
      facts.connect(stream.arrival.nowAtMs, stream.clientName);
      if (!isLive) facts.settings.retake();
      evaluation.resetTimers(facts.streamTimeMs);
    }
  }

  goLive(): void {
    for (const { facts, evaluation } of this.#tracks.values()) {
      evaluation.resetOnce();
      facts.goLive();
    }
  }

  /** Writes what is pending; records stay open. */
  flush(): void {
    for (const { facts, records } of this.#tracks.values()) records.flush(facts);
  }

  /** Closes all open records. */
  end(wallMs: number): void {
    for (const { facts, records, evaluation } of this.#tracks.values()) {
      evaluation.run(facts, END, wallMs);
      records.flush(facts);
      records.closeAll(facts, wallMs);
    }
  }

  get changed(): boolean {
    for (const { records } of this.#tracks.values()) if (records.changed) return true;
    return false;
  }

  takeChanges(): RecordChange[] {
    return [...this.#tracks.values()].flatMap(({ records }) => records.takeChanges());
  }

  get openCodes(): number[] {
    return [...this.#tracks.values()].flatMap(({ records }) => records.openCodes);
  }

  last(code: number): RecordBody | undefined {
    for (const { records } of this.#tracks.values()) {
      const record = records.last(code);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  strictFault(): RecordBody | undefined {
    for (const { records, facts } of this.#tracks.values()) {
      const fault = records.strictFault(facts);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  resume(): { readonly tracks: readonly TrackResume[]; readonly open: readonly RecordBody[] } {
    const open: RecordBody[] = [];
    const tracks = [...this.#tracks].map(([track, { facts, evaluation }]) => {
      const { open: ownOpen, lastNumber: _, ...records } = evaluation.snapshot();
      open.push(...ownOpen);
      return { track, facts: facts.snapshot(), records };
    });
    return { tracks, open };
  }

  /** `open`: records that name a track. */
  restore(tracks: readonly TrackResume[], open: readonly RecordBody[]): void {
    const ids = new Set([...tracks, ...open].flatMap(({ track }) => (track === undefined ? [] : [track])));
    for (const id of ids) {
      const track = this.#track(id);
      if (track === undefined) continue;
      const saved = tracks.find((each) => each.track === id);
      if (saved !== undefined) track.facts.restore(saved.facts);
      const records = saved?.records ?? { recent: [], done: [] };
      const own = open.filter((record) => record.track === id);
      track.evaluation.restore({ ...records, lastNumber: 0, open: own }, true, track.facts.streamTimeMs);
    }
  }

  #track(id: number): Track | undefined {
    const known = this.#tracks.get(id);
    if (known !== undefined || id > MAX_TRACK_ID) return known;
    const { stream, isSecure, nextId, remedy, inputStream } = this.#options;
    const facts = new StreamFacts(LIVE_MEASURES, { isLiveMode: false, isSecure, analysis: false, track: id });
    facts.streamTimeMs = stream.streamTimeMs;
    facts.connect(stream.arrival.nowAtMs, stream.clientName);
    const records = new Records({ recordId: nextId, remedy, track: id, inputStream });
    const track = { facts, records, evaluation: new Evaluation(records, 'track') };
    this.#tracks.set(id, track);
    return track;
  }
}
