/** The two sounds of a match, for the operator who decides on it. In the process that opens media. */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { VideoData } from '../lifecycle/documents.js';
import {
  type Blobs,
  type HeardSample,
  type Log,
  type MatchClip,
  type MatchPiece,
  type Store,
  type StoredMatch,
  SYSTEM_EDGES,
} from '../ports/index.js';
import type { MatchDetails } from '../spec/error-record.js';
import type { WorkFolder } from '../store/disk/work-folder.js';
import { sampleMs } from './limits.js';
import type { PrintPort } from './print-port.js';

export interface MatchClipsDeps {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly work: WorkFolder;
  readonly prints: PrintPort;
  readonly log: Log;
}

/** Where a sound is. */
interface Place {
  readonly key: string;
  readonly demuxer: 'flv' | 'mov';
  readonly fromMs: number;
  readonly lengthMs: number;
}

const GONE: Readonly<Record<MatchPiece, string>> = {
  found: 'The recording was removed or is not ready yet.',
  reference: 'The video of the reference was removed or has no file.',
};

export class MatchClips {
  readonly #deps: MatchClipsDeps;

  constructor(deps: MatchClipsDeps) {
    this.#deps = deps;
  }

  /** Both pieces of a match have the same length. @throws what says that the server is busy or the store is unavailable */
  async clip(matchId: string, piece: MatchPiece): Promise<MatchClip> {
    const { store, blobs, work, prints, log } = this.#deps;
    const entry = await store.objects.edgeEntry(SYSTEM_EDGES.copyrightMatches, matchId);
    if (entry === undefined) return { gone: 'There is no such match.' };
    const place = await this.#placeOf(entry.value as StoredMatch, piece);
    if (place === undefined || (await blobs.stat(place.key)) === undefined) return { gone: GONE[piece] };
    const { key, ...part } = place;
    return work.within(async (folder) => {
      const local = blobs.localPath(key);
      const input = local ?? join(folder, 'source');
      if (local === undefined) await pipeline(await blobs.read(key), createWriteStream(input));
      try {
        return { wav: await prints.clip({ input, ...part }) };
      } catch (error) {
        log.debug({ matchId, piece, error }, 'a piece of a copyright match cannot be cut');
        return { gone: 'This piece cannot be decoded.' };
      }
    });
  }

  async #placeOf({ heard, subjectId, details }: StoredMatch, piece: MatchPiece): Promise<Place | undefined> {
    const part = partOf(details, heard);
    if (heard !== undefined && piece === 'found') {
      return { key: heard.key, demuxer: 'flv', fromMs: part.sampleMs, lengthMs: part.lengthMs };
    }
    const isFound = piece === 'found';
    const video = await this.#deps.store.objects.get<VideoData>(isFound ? subjectId : details.reference_id);
    const key = video?.kind === 'video' ? video.data.sourceKey : undefined;
    if (typeof key !== 'string') return undefined;
    const fromMs = isFound ? details.start_ms : details.offset_ms + part.laterMs;
    return { key, demuxer: 'mov', fromMs, lengthMs: part.lengthMs };
  }
}

/** The part of a match that can be heard: of a broadcast, what the kept sample has of it. */
function partOf({ start_ms, length_ms }: MatchDetails, heard: HeardSample | undefined) {
  if (heard === undefined) return { sampleMs: 0, laterMs: 0, lengthMs: length_ms };
  const intoMatchMs = heard.startMs - start_ms;
  const from = Math.max(0, -intoMatchMs);
  return { sampleMs: from, laterMs: Math.max(0, intoMatchMs), lengthMs: sampleMs(heard.windows ?? 1) - from };
}
