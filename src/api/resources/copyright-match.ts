/** `/{live-video-id}/copyright_matches` and the same of a video: matches with references of others, and the owner's dispute. */
import { z } from 'zod';
import {
  type EdgeEntry,
  edgeOf,
  matchWrites,
  type StoredMatch,
  type StoredObject,
  SYSTEM_EDGES,
} from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import type { Call } from '../graph/call.js';
import { defineEdge, totalCount } from '../graph/edge.js';
import { entriesOf, filledPage } from '../graph/listed.js';
import { byDefault, defineNodeType } from '../graph/node-type.js';
import { storeQuery } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { graphTime } from '../graph/values.js';
import { text } from '../params/kinds.js';
import { changeLine } from './shared/change-line.js';

interface MatchRow extends StoredMatch {
  readonly id: string;
  readonly foundMs: number;
}

const matchType = defineNodeType<MatchRow>({
  typeName: 'CopyrightMatch',
  idOf: (row) => row.id,
  fields: {
    id: byDefault('string', 'Id of the match.', (row) => row.id),
    state: byDefault('open, disputed, confirmed or dismissed', 'What the operator decided.', ({ state }) => state),
    reference_id: byDefault('numeric string', 'The video with the content.', ({ details }) => details.reference_id),
    page_id: byDefault('numeric string', 'The Page that owns it.', ({ details }) => details.page_id),
    policy: byDefault('monitor or block', 'What follows from a match.', ({ details }) => details.policy),
    start_ms: byDefault('int32', 'Where it starts in the stream or video.', ({ details }) => details.start_ms),
    offset_ms: byDefault('int32', 'Where it starts in the reference.', ({ details }) => details.offset_ms),
    length_ms: byDefault('int32', 'Length when it was found.', ({ details }) => details.length_ms),
    error_rate: byDefault('float', 'Part of the bits that differ.', ({ details }) => details.error_rate),
    confidence: byDefault('float', '0 to 1.', ({ details }) => details.confidence),
    pictures_compared: byDefault('int32', 'Pictures compared at both places.', ({ details }) => {
      return details.pictures_compared;
    }),
    pictures_alike: byDefault('int32', 'Of these, the ones that are alike.', ({ details }) => details.pictures_alike),
    creation_time: byDefault('datetime', 'When it was found.', (row, call) => graphTime(row.foundMs, call)),
    dispute: byDefault('string', 'The reason of the dispute, if there was one.', ({ dispute }) => dispute?.reason),
  },
});

const load = (call: Call, id: string): Promise<EdgeEntry | undefined> =>
  call.services.store.objects.edgeEntry(SYSTEM_EDGES.copyrightMatches, id);

async function rowOf(call: Call, id: string): Promise<MatchRow | undefined> {
  const entry = await load(call, id);
  return entry === undefined ? undefined : { ...(entry.value as StoredMatch), id, foundMs: entry.score };
}

export const matchesEdge = defineEdge<unknown, z.ZodObject>({
  row: matchType,
  params: z.object({}),
  lists: entriesOf('copyright_matches'),
  read: ({ call, owner, paging }) => {
    const name = edgeOf(owner.id, 'copyright_matches');
    return filledPage(
      paging,
      storeQuery(paging),
      (query) => call.loader.page(name, query),
      (id) => rowOf(call, id),
    );
  },
  summary: totalCount('copyright_matches'),
});

/** Reasons that operators read in a list. */
const REASON_MAX = 2_000;

const disputeParams = z.object({ match_id: text({ max: 60 }), dispute: text({ max: REASON_MAX }) });

/** The match waits for the operator again. What was withheld stays so until the decision. */
export const disputeMatch = operation<unknown, typeof disputeParams>(disputeParams, async (call, subject, params) => {
  const entry = await load(call, params.match_id);
  const match = entry?.value as StoredMatch | undefined;
  if (entry === undefined || match?.subjectId !== subject.id)
    throw parameterError('Param match_id must be a match of this video');
  if (match.state === 'dismissed') throw parameterError('The match was dismissed: there is nothing to dispute');
  if (match.dispute !== undefined) throw parameterError('The match was disputed already');
  if (params.dispute.trim() === '') throw parameterError('Param dispute must say why the match is wrong');
  const disputed: StoredMatch = {
    ...match,
    state: 'disputed',
    dispute: { reason: params.dispute, atMs: call.nowMs },
  };
  await call.services.store.objects.commit([
    ...matchWrites(params.match_id, entry.score, disputed),
    changeLine(call, 'dispute', subject as StoredObject),
  ]);
  return { body: { id: params.match_id, success: true } };
});
