/**
 * Pictures of a running broadcast as a witness: only when its sound was found in a reference, its last key frames are
 * decoded, and compared with the reference at the same place once the match is confirmed.
 */
import { MATCH, PICTURES } from '../copyright/limits.js';
import { type HashedPicture, pictureHash, shrink } from '../copyright/pictures.js';
import type { Log, PictureDecoding } from '../ports/index.js';
import type { MatchDetails } from '../spec/error-record.js';
import type { KeptKeyFrame } from './key-frames.js';
import { KEY_FRAMES } from './limits.js';
import type { SoundSample } from './sound-tap.js';

/** Decoded key frames of a broadcast, in the order of their times. */
export type LivePictures = readonly HashedPicture[];

export interface PictureWitness {
  /**
   * Compares pictures of a broadcast with the reference of its match, and keeps what they say with the match.
   * @throws what says that they were not compared
   */
  witness(liveVideoId: string, match: MatchDetails, pictures: LivePictures): Promise<MatchDetails>;
}

interface Deps {
  readonly witness: PictureWitness;
  readonly decoder: PictureDecoding | undefined;
  readonly log: Log;
  /** Decoded since the first part of a reference was found. */
  readonly early?: Promise<LivePictures> | undefined;
}

/** The match with what the pictures say; as it was if they say nothing in time. */
export async function witnessedWithin(
  deps: Deps,
  { liveVideoId }: { readonly liveVideoId: string },
  match: MatchDetails,
  keyFrames: readonly KeptKeyFrame[],
  waitMs: number = longestWaitMs(match),
): Promise<MatchDetails> {
  if (keyFrames.length === 0 || deps.decoder === undefined) return match;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<MatchDetails>((resolve) => {
    timer = setTimeout(() => resolve(match), waitMs);
  });
  const seen = look(deps, deps.decoder, liveVideoId, match, keyFrames).catch((error: unknown) => {
    deps.log.debug({ liveVideoId, error }, 'the pictures of a copyright match cannot be compared');
    return match;
  });
  return Promise.race([seen, late]).finally(() => clearTimeout(timer));
}

/** `length_ms` is what has been heard of the match so far. */
export function longestWaitMs({ length_ms: heardMs }: Pick<MatchDetails, 'length_ms'>): number {
  const { waitMs, waitLeastMs, reportMs } = KEY_FRAMES;
  return Math.max(waitLeastMs, Math.min(waitMs, reportMs - heardMs));
}

async function look(
  { witness, early }: Deps,
  decoder: PictureDecoding,
  liveVideoId: string,
  match: MatchDetails,
  keyFrames: readonly KeptKeyFrame[],
): Promise<MatchDetails> {
  // Those from before the match belong to something else.
  const known = ((await early) ?? []).filter(({ atMs }) => atMs >= match.start_ms);
  const others = keyFrames.filter(({ atMs }) => atMs >= match.start_ms && known.every((each) => each.atMs !== atMs));
  // More of them would say no more, and take seconds.
  const pictures = known.length >= PICTURES.running ? known : [...known, ...(await decoded(decoder, others))];
  return pictures.length === 0 ? match : witness.witness(liveVideoId, match, pictures);
}

async function decoded(decoder: PictureDecoding, keyFrames: readonly KeptKeyFrame[]): Promise<HashedPicture[]> {
  const pictures: HashedPicture[] = [];
  for (const { atMs, flv } of keyFrames) {
    if (!decoder.hasRoomForPicture) continue;
    const gray = await decoder.picture(flv).catch(() => undefined);
    const hash = gray === undefined ? undefined : pictureHash(shrink(gray));
    if (hash !== undefined) pictures.push({ atMs, hash });
  }
  return pictures;
}

/**
 * Decodes key frames of a session when the first part of a reference is found: with a share of a processor this takes seconds, and the
 * sound that confirms the match takes five more.
 */
export class EarlyPictures {
  readonly #decoder: PictureDecoding | undefined;
  readonly #log: Log;
  #fromMs = Number.NEGATIVE_INFINITY;
  #pictures: Promise<LivePictures> | undefined;

  constructor(decoder: PictureDecoding | undefined, log: Log) {
    this.#decoder = decoder;
    this.#log = log;
  }

  /** Those of the last seconds stay: a match that is confirmed has begun with them. */
  look({ session, startMs }: Pick<SoundSample, 'session' | 'startMs'>, keyFrames: readonly KeptKeyFrame[]): void {
    if (this.#decoder === undefined || startMs - this.#fromMs <= MATCH.endsAfterMs) return;
    this.#fromMs = startMs;
    const during = keyFrames.filter(({ atMs }) => atMs >= startMs);
    // Nothing waits for them unless a match follows.
    this.#pictures = decoded(this.#decoder, during).catch((error: unknown) => {
      this.#log.debug({ session, error }, 'key frames of a broadcast cannot be compared');
      return [];
    });
  }

  get pictures(): Promise<LivePictures> | undefined {
    return this.#pictures;
  }
}
