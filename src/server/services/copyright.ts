/** What follows from a match of a running broadcast with a copyright reference. */

import { type SoundComparer, SoundTaps } from '../../detection/sound-taps.js';
import type { OwnerData } from '../../lifecycle/documents.js';
import type { PictureDecoding } from '../../ports/index.js';
import { SERVICE_CODES } from '../../rules/registry/service-codes.js';
import type { MatchDetails } from '../../spec/error-record.js';
import type { CoreBase } from './core.js';

/** The taps of a process that receives streams. */
export function openSoundTaps(
  base: CoreBase,
  comparer: SoundComparer,
  pictures: PictureDecoding | undefined,
): SoundTaps {
  const { store, log } = base;
  return new SoundTaps({
    store,
    log,
    comparer,
    pictures,
    onMatch: (liveVideoId, match) => {
      base.engine().publications.get(liveVideoId)?.note(SERVICE_CODES.copyrightMatch, describe(match), match);
      if (match.policy !== 'block' || !base.config.copyrightBlock) return;
      stop(base, liveVideoId, match).catch((error: unknown) => {
        log.warn({ liveVideoId, error }, 'a broadcast that matches a reference could not be stopped');
      });
    },
  });
}

/** The same stop as an operator's: 6601 for the encoder, and the recording is withheld. */
async function stop({ store, engine }: CoreBase, liveVideoId: string, match: MatchDetails): Promise<void> {
  const page = await store.objects.get<OwnerData>(match.page_id);
  const pageName = `the Page ${page?.data.name ?? match.page_id}`;
  await engine().service.request(liveVideoId, { type: 'copyright-stop', pageName });
}

function describe({ reference_id: video, page_id: page, ...match }: MatchDetails): string {
  const at = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const errors = `${(match.error_rate * 100).toFixed(1)}% of the bits differ`;
  return `the video ${video} of the Page ${page}, from ${at(match.offset_ms)} on, for ${at(match.length_ms)} (${errors})`;
}
