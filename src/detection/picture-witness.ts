/** Compares the pictures of a video with those of a reference at the place that the sound has found. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PICTURES } from '../copyright/limits.js';
import { compareAt, comparePictures, type HashedPicture, type Witness } from '../copyright/pictures.js';
import type { VideoData } from '../lifecycle/documents.js';
import type { Blobs, Log, Store } from '../ports/index.js';
import type { MatchDetails } from '../spec/error-record.js';
import type { WorkFolder } from '../store/disk/work-folder.js';
import { DETECTOR } from './limits.js';
import type { PrintPort } from './print-port.js';

export interface PictureWitnessDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly work: WorkFolder;
  readonly prints: PrintPort;
  readonly log: Log;
}

/** The first matches with what the pictures say. They raise the confidence and lower none: a song may have other pictures. */
export async function witnessed(
  deps: PictureWitnessDeps,
  sourceKey: string,
  matches: readonly MatchDetails[],
): Promise<MatchDetails[]> {
  const checked = await Promise.all(
    matches.slice(0, DETECTOR.witnessed).map((match) =>
      witnessOf(deps, sourceKey, match).catch((error: unknown) => {
        deps.log.debug({ sourceKey, error }, 'the pictures of a copyright match cannot be compared');
        return match;
      }),
    ),
  );
  return [...checked, ...matches.slice(DETECTOR.witnessed)];
}

async function witnessOf(deps: PictureWitnessDeps, sourceKey: string, match: MatchDetails): Promise<MatchDetails> {
  const referenceKey = await sourceOf(deps, match.reference_id);
  if (referenceKey === undefined) return match;
  const lengthMs = Math.min(match.length_ms, PICTURES.lengthMs);
  const one = await grayOf(deps, sourceKey, match.start_ms, lengthMs);
  const other = await grayOf(deps, referenceKey, match.offset_ms, lengthMs);
  return withWitness(match, comparePictures(one, other));
}

/** A match in a running broadcast, with what its key frames say. They are in the order of their times. */
export async function witnessedLive(
  deps: PictureWitnessDeps,
  match: MatchDetails,
  pictures: readonly HashedPicture[],
): Promise<MatchDetails> {
  const [first, last] = [pictures[0], pictures.at(-1)];
  const referenceKey = await sourceOf(deps, match.reference_id);
  if (first === undefined || last === undefined || referenceKey === undefined) return match;
  const aroundMs = PICTURES.slack * PICTURES.everyMs;
  // Reads the same place of the reference; it may start within the time around.
  const fromMs = Math.max(match.start_ms - match.offset_ms, first.atMs - aroundMs);
  const lengthMs = Math.min(last.atMs + aroundMs - fromMs, PICTURES.lengthMs);
  const gray = await grayOf(deps, referenceKey, fromMs - match.start_ms + match.offset_ms, lengthMs);
  return withWitness(match, compareAt(pictures, gray, fromMs));
}

function withWitness(match: MatchDetails, { compared, alike, agrees }: Witness): MatchDetails {
  if (compared === 0) return match;
  const doubt = 1 - match.confidence;
  const confidence = agrees ? Number((1 - (doubt * (compared - alike / 2)) / compared).toFixed(4)) : match.confidence;
  return { ...match, confidence, pictures_compared: compared, pictures_alike: alike };
}

async function sourceOf({ store }: PictureWitnessDeps, videoId: string): Promise<string | undefined> {
  const key = (await store.objects.get<VideoData>(videoId))?.data.sourceKey;
  return typeof key === 'string' ? key : undefined;
}

async function grayOf({ blobs, work, prints }: PictureWitnessDeps, key: string, fromMs: number, lengthMs: number) {
  return work.within(async (folder) => {
    const local = blobs.localPath(key);
    const input = local ?? join(folder, 'source');
    if (local === undefined) await pipeline(await blobs.read(key), createWriteStream(input));
    return prints.pictures({ input, demuxer: 'mov', fromMs, lengthMs });
  });
}
