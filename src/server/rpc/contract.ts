/**
 * The calls that each role answers: arguments and answers are plain data, which goes through JSON. A call that answers nothing is
 * told and not waited for.
 */
import type { UnsavedSamples } from '../../dashboard/history/distributed-history.js';
import { KEY_FRAMES, SOUND_SAMPLE } from '../../detection/limits.js';
import type { LivePictures } from '../../detection/live-pictures.js';
import type { SoundSample } from '../../detection/sound-tap.js';
import type { Checked } from '../../detection/sound-taps.js';
import type { FromRelayHost, ToRelayHost } from '../../playback/context/deps.js';
import type { ForwardNotice, MatchPiece, NotedForward } from '../../ports/index.js';
import type { StreamOpinion } from '../../probe/flv-probe.js';
import type { MatchDetails } from '../../spec/error-record.js';
import type { Values } from '../metrics/process-metrics.js';
import type { Role } from '../supervisor/messages.js';

export interface StoreCalls {
  metrics(): Values;
}

export interface IngestCalls {
  /** The JPEG of a live stream's next key frame, in base64; null where the stream is not received, or has none soon. */
  still(liveVideoId: string): string | null;
  /** Answers when the store has the records of these broadcasts that their encoders were sent. False: it is still without some. */
  storedRecords(broadcastIds: readonly string[]): boolean;
  /** Null where the stream is not received. */
  unsavedSamples(liveVideoId: string): UnsavedSamples | null;
  relay(message: ToRelayHost): void;
  /** Becomes a record of the broadcast, in the process that receives it. */
  forwardNotice(liveVideoId: string, notice: ForwardNotice, forward: NotedForward): void;
  metrics(): Values;
}

/** Why there is no result. */
export interface NotRead {
  readonly result: 'unreadable' | 'skipped';
  readonly reason: string;
}

/** A `file` is the name of one in the folder of samples, which hold megabytes. */
export interface MediaCalls {
  sample(file: string): { readonly result: 'read'; readonly opinion: StreamOpinion } | NotRead;
  picture(file: string): { readonly result: 'decoded'; readonly base64: string } | NotRead;
  still(file: string): { readonly result: 'decoded'; readonly base64: string } | NotRead;
  sound(file: string, sample: SoundSample): ({ readonly result: 'compared' } & Checked) | NotRead;
  /** The match with what the pictures say of it. */
  witness(liveVideoId: string, match: MatchDetails, pictures: LivePictures): MatchDetails;
  /** The sound of a match, as a file that the caller removes. */
  clip(matchId: string, piece: MatchPiece): { readonly file: string } | { readonly gone: string };
  metrics(): Values;
}

export interface WebCalls {
  relay(message: FromRelayHost): void;
}

export interface ForwardCalls {
  metrics(): Values;
}

export interface Contract {
  readonly store: StoreCalls;
  readonly ingest: IngestCalls;
  readonly media: MediaCalls;
  readonly web: WebCalls;
  readonly forward: ForwardCalls;
}

export type Args<R extends Role, Name extends keyof Contract[R]> = Contract[R][Name] extends (
  ...args: infer A
) => unknown
  ? A
  : never;
export type Answer<R extends Role, Name extends keyof Contract[R]> = Contract[R][Name] extends (
  ...args: never[]
) => infer A
  ? A
  : never;

/** Names of the calls without an answer. */
export type Told<R extends Role> = {
  [Name in keyof Contract[R]]: undefined extends Answer<R, Name> ? Name : never;
}[keyof Contract[R]];
/** Names of the calls that are answered. */
export type Asked<R extends Role> = Exclude<keyof Contract[R], Told<R>>;

/** Handlers of the calls, in a process of the role. `from`: the process that calls. */
export type Handlers<R extends Role> = {
  readonly [Name in keyof Contract[R]]: (
    ...args: [...Args<R, Name>, from: number]
  ) => Answer<R, Name> | Promise<Answer<R, Name>>;
};

export interface CallLimit {
  /** A later answer is dropped. */
  readonly withinMs: number;
  /** Calls of one process that may be under way. Absent: what causes them has a bound of its own, such as requests over HTTP. */
  readonly places?: number;
}

/** A GET of errors waits at most this long for records that were already sent to the encoder. */
export const RECORDS_STORED_MS = 1_000;
/** ffprobe has 20 s, and may be busy with the samples of another process. */
const SAMPLE_MS = 45_000;
/** Samples of one kind that an ingest process may collect at a time. */
const SAMPLE_PLACES = 3;
/** The sum waits for a second. A later answer counts in the next one. */
const METRICS: CallLimit = { withinMs: 10_000 };

export const CALL_LIMITS: { readonly [R in Role]: { readonly [Name in Asked<R>]: CallLimit } } = {
  store: { metrics: METRICS },
  ingest: {
    /** The wait for a key frame, and the decoder's time on a busy machine. A page asks again. */
    still: { withinMs: 20_000 },
    storedRecords: { withinMs: RECORDS_STORED_MS },
    /** Charts and reports omit the samples of an ingest process that does not respond within this time. */
    unsavedSamples: { withinMs: 1_000 },
    metrics: METRICS,
  },
  media: {
    sample: { withinMs: SAMPLE_MS, places: SAMPLE_PLACES },
    picture: { withinMs: SAMPLE_MS, places: SAMPLE_PLACES },
    still: { withinMs: SAMPLE_MS, places: SAMPLE_PLACES },
    sound: { withinMs: SAMPLE_MS, places: SOUND_SAMPLE.pending },
    witness: { withinMs: KEY_FRAMES.waitMs },
    /** ffmpeg has 30 s, and may wait for another piece. */
    clip: { withinMs: 60_000 },
    metrics: METRICS,
  },
  web: {},
  forward: { metrics: METRICS },
};
