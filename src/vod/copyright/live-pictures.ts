/**
 * Pictures of a running broadcast as a witness: only when its sound was found in a reference, its last key frames are
 * decoded and compared with the reference at the same place.
 */
import { type HashedPicture, pictureHash, shrink } from '../../copyright/pictures.js';
import type { Log, PictureDecoding } from '../../ports/index.js';
import type { MatchDetails } from '../../spec/error-record.js';
import type { KeptKeyFrame } from './key-frames.js';
import { KEY_FRAMES } from './limits.js';

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
}

/** The match with what the pictures say; as it was if they say nothing in time. */
export async function witnessedWithin(
  deps: Deps,
  { liveVideoId }: { readonly liveVideoId: string },
  match: MatchDetails,
  keyFrames: readonly KeptKeyFrame[],
  waitMs: number = KEY_FRAMES.waitMs,
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

async function look(
  { witness }: Deps,
  decoder: PictureDecoding,
  liveVideoId: string,
  match: MatchDetails,
  keyFrames: readonly KeptKeyFrame[],
): Promise<MatchDetails> {
  const pictures: HashedPicture[] = [];
  for (const { atMs, flv } of keyFrames) {
    // Those from before the match belong to something else.
    if (atMs < match.start_ms || !decoder.hasRoomForPicture) continue;
    const gray = await decoder.picture(flv).catch(() => undefined);
    const hash = gray === undefined ? undefined : pictureHash(shrink(gray));
    if (hash !== undefined) pictures.push({ atMs, hash });
  }
  return pictures.length === 0 ? match : witness.witness(liveVideoId, match, pictures);
}
