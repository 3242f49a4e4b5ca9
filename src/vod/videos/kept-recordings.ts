/** The list of recordings whose files are subject to retention. */
import { SYSTEM_EDGES, type Write } from '../../ports/index.js';
import type { Video } from './video-writer.js';

/** Writes to commit together with the document that names the file. */
export function retentionWrites({ id, data }: Video, madeMs: number): Write[] {
  return data.liveVideoId === undefined
    ? []
    : [{ op: 'edgeAdd', ...SYSTEM_EDGES.keptRecordings, member: id, score: madeMs }];
}
