/** Administration of copyright references and of the matches with them. */
import { auditWrite } from '../../api/access/audit.js';
import type { VideoData } from '../../lifecycle/documents.js';
import {
  MATCH_STATES,
  type MatchState,
  referenceRemoval,
  referenceWrites,
  type StoredReference,
  SYSTEM_EDGES,
  storedReferences,
  TOPIC,
  updateObject,
} from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { JobQueue } from '../../vod/jobs/job-queue.js';
import type { AdminActions, AdminContext } from './context.js';
import { type AdminInput, optionalText, text, textList } from './context.js';
import { decideMatch, listMatches } from './matches.js';

const WHO = 'command line';
const LIST_MAX = 1_000;

export function copyrightActions(context: AdminContext): AdminActions {
  return {
    'reference.add': (input) => add(context, input),
    'reference.list': (input) => list(context, input),
    'reference.remove': (input) => remove(context, input),
    'reference.rebuild': () => rebuild(context),
    'match.list': async (input) => ({ matches: (await listMatches(context, stateOf(input))).rows }),
    'match.confirm': (input) => decideMatch(context, text(input, 'id'), 'confirmed', { who: WHO }),
    'match.dismiss': (input) => decideMatch(context, text(input, 'id'), 'dismissed', { who: WHO }),
  };
}

async function loadVideo({ store }: AdminContext, id: string): Promise<VideoData> {
  const video = await store.objects.get<VideoData>(id);
  if (video?.kind !== 'video') throw parameterError(`No video has the id ${id}`);
  return video.data;
}

async function add(context: AdminContext, input: AdminInput): Promise<unknown> {
  const { store, clock } = context;
  const videoId = text(input, 'video');
  const { ownerId, ownerKind, crosspostOf } = await loadVideo(context, videoId);
  if (ownerKind !== 'page' || crosspostOf !== undefined)
    throw parameterError('A reference must be a video that a Page has uploaded or broadcast');
  const policy = optionalText(input, 'policy') === 'block' ? 'block' : 'monitor';
  const allowedPages = textList(input, 'allow');
  const excluded = textList(input, 'exclude').map(range);
  const reference: StoredReference = { videoId, ownerId, policy, excluded, allowedPages };
  const known = await store.objects.edgeEntry(SYSTEM_EDGES.copyrightReferences, videoId);
  await store.objects.commit([
    ...referenceWrites(reference, known?.score ?? clock.wallMs()),
    auditWrite(context, { action: 'reference.add', who: WHO, target: videoId, owner: ownerId }),
  ]);
  await order(context, [videoId]);
  return { id: videoId, owner_id: ownerId, policy, allowed_pages: allowedPages, excluded: textList(input, 'exclude') };
}

/** `12-34.5`: seconds from the start. */
function range(value: string): { fromMs: number; toMs: number } {
  const [, from, to] = /^(\d{1,6}(?:\.\d{1,3})?)-(\d{1,6}(?:\.\d{1,3})?)$/.exec(value) ?? [];
  const found = { fromMs: Number(from) * 1_000, toMs: Number(to) * 1_000 };
  if (!(found.toMs > found.fromMs)) throw parameterError(`Param exclude must be FROM-TO in seconds, not ${value}`);
  return found;
}

async function list(context: AdminContext, input: AdminInput): Promise<unknown> {
  const wanted = optionalText(input, 'page');
  const references: Record<string, unknown>[] = [];
  for await (const reference of storedReferences(context.store.objects)) {
    if (wanted !== undefined && reference.ownerId !== wanted) continue;
    if (references.length >= LIST_MAX) break;
    const video = await context.store.objects.get<VideoData>(reference.videoId);
    references.push({
      id: reference.videoId,
      owner_id: reference.ownerId,
      policy: reference.policy,
      added_ms: reference.addedMs,
      print: video?.data.print === undefined ? 'not made yet' : `version ${video.data.print.version}`,
      title: video?.data.title ?? '',
    });
  }
  return { references };
}

async function remove(context: AdminContext, input: AdminInput): Promise<unknown> {
  const { store } = context;
  const videoId = text(input, 'video');
  const entry = await store.objects.edgeEntry(SYSTEM_EDGES.copyrightReferences, videoId);
  if (entry === undefined) throw parameterError(`The video ${videoId} is no reference`);
  const { ownerId } = entry.value as StoredReference;
  await store.objects.commit([
    ...referenceRemoval(ownerId, videoId),
    auditWrite(context, { action: 'reference.remove', who: WHO, target: videoId, owner: ownerId }),
  ]);
  store.bus.publish(TOPIC.references, {});
  return { success: true };
}

/** Makes all prints again. The index keeps the old print of a reference until its new one is made. */
async function rebuild(context: AdminContext): Promise<unknown> {
  const { store, clock } = context;
  const ids: string[] = [];
  for await (const { videoId } of storedReferences(store.objects)) ids.push(videoId);
  for (const id of ids) {
    await updateObject<VideoData>(store.objects, clock, id, ({ data }) =>
      data.print === undefined ? undefined : { data: { ...data, print: { ...data.print, sourceKey: '' } } },
    );
  }
  await order(context, ids);
  return { ordered: ids.length };
}

/** Adds the jobs; the media process of the server runs them. */
async function order({ store, clock, log }: AdminContext, videoIds: readonly string[]): Promise<void> {
  const jobs = new JobQueue({ store, clock, log, holder: WHO });
  for (const id of videoIds) await jobs.add('fingerprint', id);
  store.bus.publish(TOPIC.references, {});
}

const stateOf = (input: AdminInput): MatchState | undefined =>
  MATCH_STATES.find((state) => state === optionalText(input, 'state'));
