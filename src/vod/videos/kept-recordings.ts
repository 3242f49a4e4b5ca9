/** The list of recordings whose files the retention may remove. */
import type { EdgeName, Write } from '../../ports/index.js';
import type { Video } from './video-writer.js';

/** Videos of recordings that have a file. Score: when the file was made, so that a changed setting applies to all of them. */
export const KEPT_RECORDINGS: EdgeName = { owner: 'system', edge: 'kept_recordings' };

/** To be written with the document that names the file. */
export function retentionWrites({ id, data }: Video, madeMs: number): Write[] {
  return data.liveVideoId === undefined ? [] : [{ op: 'edgeAdd', ...KEPT_RECORDINGS, member: id, score: madeMs }];
}
