/** `/{page-id}/copyright_references`: videos of a Page whose content is looked for in the streams and videos of others. */
import { z } from 'zod';
import type { OwnerData, VideoData } from '../../lifecycle/documents.js';
import {
  type EdgeEntry,
  edgeOf,
  referenceRemoval,
  referenceWrites,
  type StoredTerms,
  TOPIC,
} from '../../ports/index.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { type Call, SUCCESS } from '../graph/call.js';
import { defineEdge, totalCount } from '../graph/edge.js';
import { entriesOf, listEntries } from '../graph/listed.js';
import { byDefault, defineNodeType } from '../graph/node-type.js';
import { objectKeys } from '../graph/object-keys.js';
import { operation } from '../graph/registry.js';
import { graphTime } from '../graph/values.js';
import { id, int, list, object, oneOf } from '../params/kinds.js';
import { changeLine } from './shared/change-line.js';

interface ReferenceRow extends StoredTerms {
  readonly videoId: string;
  readonly addedMs: number;
}

const rowOf = ({ member, score, value }: EdgeEntry): ReferenceRow => ({
  ...(value as StoredTerms),
  videoId: member,
  addedMs: score,
});

const referenceType = defineNodeType<ReferenceRow>({
  typeName: 'CopyrightReference',
  idOf: (row) => row.videoId,
  fields: {
    id: byDefault('numeric string', 'Id of the reference: that of its video.', (row) => row.videoId),
    video_id: byDefault('numeric string', 'The video with the content.', (row) => row.videoId),
    policy: byDefault('monitor or block', 'What follows from a match.', (row) => row.policy),
    excluded_ranges: {
      type: 'list<object>',
      description: 'Parts that are not matched: `{from, to}` in milliseconds.',
      isDefault: true,
      keys: objectKeys('from,to'),
      read: (row) => row.excluded.map(({ fromMs, toMs }) => ({ from: fromMs, to: toMs })),
    },
    allowed_pages: byDefault('list<numeric string>', 'Pages that may use the content.', (row) => row.allowedPages),
    creation_time: byDefault('datetime', 'When it was added.', (row, call) => graphTime(row.addedMs, call)),
    status: byDefault('in_progress or complete', '`complete`: the print of its sound is made.', statusOf),
  },
});

async function statusOf(row: ReferenceRow, call: Call): Promise<string> {
  const video = await call.loader.load(row.videoId);
  return (video?.data as VideoData | undefined)?.print === undefined ? 'in_progress' : 'complete';
}

export const referencesEdge = defineEdge<OwnerData, z.ZodObject>({
  row: referenceType,
  params: z.object({}),
  lists: entriesOf('copyright_references'),
  read: ({ call, owner, paging }) => listEntries(call, edgeOf(owner.id, 'copyright_references'), paging, rowOf),
  summary: totalCount('copyright_references'),
});

const range = object({ from: int({ min: 0 }), to: int({ min: 1 }) });
const addParams = z.object({
  video_id: id(),
  policy: oneOf(['monitor', 'block']).optional(),
  excluded_ranges: list(range, { max: API_LIMITS.referenceRanges }).optional(),
  allowed_pages: list(id(), { max: API_LIMITS.referencePages }).optional(),
});

/** Adding a reference again replaces its terms. */
export const addReference = operation<OwnerData, typeof addParams>(addParams, async (call, page, params) => {
  const { video_id: videoId, policy = 'monitor', excluded_ranges: ranges = [], allowed_pages: allowed = [] } = params;
  const video = await ownVideo(call, page.id, videoId);
  for (const each of allowed) {
    if ((await call.loader.load(each))?.kind !== 'page') throw parameterError('Param allowed_pages must name Pages');
  }
  if (ranges.some(({ from, to }) => to <= from))
    throw parameterError('Param excluded_ranges must end after they start');
  const { objects, bus } = call.services.store;
  const name = edgeOf(page.id, 'copyright_references');
  const known = await objects.edgeEntry(name, videoId);
  if (known === undefined && (await objects.edgeSize(name)) >= API_LIMITS.referencesPerPage) throw tooMany();
  const excluded = ranges.map(({ from, to }) => ({ fromMs: from, toMs: to }));
  const terms = { policy, excluded, allowedPages: allowed };
  await objects.commit([
    ...referenceWrites({ videoId, ownerId: page.id, ...terms }, known?.score ?? call.nowMs),
    changeLine(call, 'add', video),
  ]);
  bus.publish(TOPIC.references, {});
  await call.services.uploads?.fingerprint(videoId);
  return { body: { id: videoId, success: true } };
});

const removeParams = z.object({ video_id: id() });

export const removeReference = operation<OwnerData, typeof removeParams>(removeParams, async (call, page, params) => {
  const { objects, bus } = call.services.store;
  const known = await objects.edgeEntry(edgeOf(page.id, 'copyright_references'), params.video_id);
  if (known === undefined) throw parameterError('Param video_id must be a reference of this Page');
  await objects.commit([...referenceRemoval(page.id, params.video_id), changeLine(call, 'delete', page)]);
  bus.publish(TOPIC.references, {});
  return SUCCESS;
});

/** A video of the Page itself with a file of its own. @throws ServiceError 100 */
async function ownVideo(call: Call, pageId: string, videoId: string) {
  const video = await call.loader.load(videoId);
  const data = video?.kind === 'video' ? (video.data as VideoData) : undefined;
  if (video === undefined || data?.ownerId !== pageId || data.crosspostOf !== undefined) {
    throw parameterError('Param video_id must be a video that this Page has uploaded or broadcast');
  }
  return video;
}

function tooMany(): ServiceError {
  return new ServiceError({
    code: 368,
    type: 'OAuthException',
    status: 403,
    message: `(#368) A Page can have at most ${API_LIMITS.referencesPerPage} copyright references`,
    isTransient: false,
  });
}
