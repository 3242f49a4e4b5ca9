/** Administration of copyright references and of the matches with them. */
import { auditWrite } from '../../api/access/audit.js';
import type { LiveVideoData, OwnerData, VideoData } from '../../broadcast/documents.js';
import { isOver } from '../../broadcast/lifecycle.js';
import {
  type MatchState,
  referenceRemoval,
  referenceWrites,
  type StoredMatch,
  type StoredReference,
  SYSTEM_EDGES,
  storedReferences,
  TOPIC,
  updateObject,
  type Write,
} from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { JobQueue } from '../../vod/jobs/job-queue.js';
import type { AdminActions, AdminContext } from './context.js';
import { type AdminInput, optionalText, text, textList } from './input.js';

const WHO = 'command line';
const LIST_MAX = 1_000;

export function copyrightActions(context: AdminContext): AdminActions {
  return {
    'reference.add': (input) => add(context, input),
    'reference.list': (input) => list(context, input),
    'reference.remove': (input) => remove(context, input),
    'reference.rebuild': () => rebuild(context),
    'match.list': (input) => matches(context, input),
    'match.confirm': (input) => decide(context, input, 'confirmed'),
    'match.dismiss': (input) => decide(context, input, 'dismissed'),
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
  await store.objects.commit([
    ...referenceWrites(reference, clock.wallMs()),
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

/** Makes all prints again. Until its new print is made, a reference is not in the index. */
async function rebuild(context: AdminContext): Promise<unknown> {
  const { store, clock } = context;
  const ids: string[] = [];
  for await (const { videoId } of storedReferences(store.objects)) ids.push(videoId);
  for (const id of ids) {
    await updateObject<VideoData>(store.objects, clock, id, ({ data }) =>
      data.print === undefined ? undefined : { data: { ...data, print: { ...data.print, version: 0 } } },
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

async function matches(context: AdminContext, input: AdminInput): Promise<unknown> {
  const wanted = optionalText(input, 'state');
  const page = await context.store.objects.page(SYSTEM_EDGES.copyrightMatches, { limit: LIST_MAX });
  return {
    matches: page.entries
      .map(({ member, score, value }) => matchRow(member, score, value as StoredMatch))
      .filter(({ state }) => wanted === undefined || state === wanted),
  };
}

function matchRow(id: string, foundMs: number, { subjectId, ownerId, state, details }: StoredMatch) {
  return { id, found_ms: foundMs, state, subject_id: subjectId, owner_id: ownerId, ...details };
}

/** Confirming withholds the video, and stops the broadcast while it runs. Dismissing releases it. */
async function decide(context: AdminContext, input: AdminInput, state: MatchState): Promise<unknown> {
  const { store } = context;
  const id = text(input, 'id');
  const entry = await store.objects.edgeEntry(SYSTEM_EDGES.copyrightMatches, id);
  if (entry === undefined) throw parameterError(`No match has the id ${id}`);
  const match = { ...(entry.value as StoredMatch), state };
  await apply(context, match);
  const write: Write = {
    op: 'edgeAdd',
    ...SYSTEM_EDGES.copyrightMatches,
    member: id,
    score: entry.score,
    value: match,
  };
  const line = { action: `match.${state}`, who: WHO, target: match.subjectId, owner: match.ownerId };
  await store.objects.commit([write, auditWrite(context, line)]);
  return matchRow(id, entry.score, match);
}

/** The recording of a broadcast is shown as the broadcast is, so both are changed. */
async function apply(context: AdminContext, match: StoredMatch): Promise<void> {
  const { store, clock } = context;
  const isStopped = match.state === 'confirmed';
  const { liveVideoId, videoId } = await subjectOf(context, match.subjectId);
  if (liveVideoId !== undefined) {
    if (isStopped) await stopRunning(context, liveVideoId, match);
    await updateObject<LiveVideoData>(store.objects, clock, liveVideoId, ({ data }) => ({
      data: { ...data, copyrightDecision: isStopped ? 'withheld' : 'released' },
    }));
  }
  await updateObject<VideoData>(store.objects, clock, videoId, ({ data }) => ({
    data: {
      ...withoutMatch(data, isStopped ? undefined : match.details.reference_id),
      isCopyrightStopped: isStopped,
    },
  }));
}

async function subjectOf({ store }: AdminContext, id: string): Promise<{ liveVideoId?: string; videoId: string }> {
  const subject = await store.objects.get<LiveVideoData | VideoData>(id);
  if (subject?.kind === 'live_video') return { liveVideoId: id, videoId: (subject.data as LiveVideoData).videoId };
  const { liveVideoId } = (subject?.data ?? {}) as Partial<VideoData>;
  return liveVideoId === undefined ? { videoId: id } : { liveVideoId, videoId: id };
}

async function stopRunning({ store, broadcasts }: AdminContext, id: string, { details }: StoredMatch): Promise<void> {
  const live = await store.objects.get<LiveVideoData>(id);
  if (live === undefined || isOver(live.data.status)) return;
  const page = await store.objects.get<OwnerData>(details.page_id);
  const pageName = `the Page ${page?.data.name ?? details.page_id}`;
  await broadcasts.request(id, { type: 'copyright-stop', pageName });
}

function withoutMatch(data: VideoData, referenceId: string | undefined): VideoData {
  const { copyrightCheck: check } = data;
  if (check === undefined || referenceId === undefined) return data;
  const left = check.matches.filter(({ reference_id: each }) => each !== referenceId);
  return { ...data, copyrightCheck: { ...check, matches: left } };
}
