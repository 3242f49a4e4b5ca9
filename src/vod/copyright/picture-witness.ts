/** Compares the pictures of a video with those of a reference at the place that the sound has found. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { VideoData } from '../../broadcast/documents.js';
import { PICTURES } from '../../copyright/limits.js';
import { comparePictures } from '../../copyright/pictures.js';
import type { Blobs, Log, Store } from '../../ports/index.js';
import type { MatchDetails } from '../../spec/error-record.js';
import type { WorkFolder } from '../disk/work-folder.js';
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
  const reference = await deps.store.objects.get<VideoData>(match.reference_id);
  const referenceKey = reference?.data.sourceKey;
  if (typeof referenceKey !== 'string') return match;
  const one = await grayOf(deps, sourceKey, match.start_ms, match.length_ms);
  const other = await grayOf(deps, referenceKey, match.offset_ms, match.length_ms);
  const { compared, alike, agrees } = comparePictures(one, other);
  if (compared === 0) return match;
  const doubt = 1 - match.confidence;
  const confidence = agrees ? Number((1 - (doubt * (compared - alike / 2)) / compared).toFixed(4)) : match.confidence;
  return { ...match, confidence, pictures_compared: compared, pictures_alike: alike };
}

async function grayOf({ blobs, work, prints }: PictureWitnessDeps, key: string, fromMs: number, matchedMs: number) {
  const lengthMs = Math.min(matchedMs, PICTURES.lengthMs);
  return work.within(async (folder) => {
    const local = blobs.localPath(key);
    const input = local ?? join(folder, 'source');
    if (local === undefined) await pipeline(await blobs.read(key), createWriteStream(input));
    return prints.pictures({ input, demuxer: 'mov', fromMs, lengthMs });
  });
}
