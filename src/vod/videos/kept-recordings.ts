/** The list of recordings whose files the retention may remove. */
import { SYSTEM_EDGES, type Write } from '../../ports/index.js';
import type { Video } from './video-writer.js';

/** To be written with the document that names the file. */
export function retentionWrites({ id, data }: Video, madeMs: number): Write[] {
  return data.liveVideoId === undefined
    ? []
    : [{ op: 'edgeAdd', ...SYSTEM_EDGES.keptRecordings, member: id, score: madeMs }];
}
