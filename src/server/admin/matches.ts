/** Copyright matches: the operator's list, and the decision on each. */
import { auditWrite } from '../../api/access/audit.js';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, OwnerData, VideoData } from '../../lifecycle/documents.js';
import { isOver } from '../../lifecycle/lifecycle.js';
import {
  type Broadcasts,
  type Clock,
  edgeOf,
  type IdSource,
  type MatchState,
  matchWrites,
  type Store,
  type StoredMatch,
  SYSTEM_EDGES,
  updateObject,
} from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';

export interface MatchContext {
  readonly store: Store;
  readonly broadcasts: Broadcasts;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** For the audit log. */
export interface Decider {
  readonly who: string;
  readonly from?: string;
}

const LIST_MAX = 1_000;

export type MatchRow = ReturnType<typeof matchRow>;

/** The newest first. A page with `state` may be short and still have `next`. */
export async function listMatches({ store }: Pick<MatchContext, 'store'>, state?: MatchState, page: PageOf = {}) {
  const { limit = LIST_MAX, after } = page;
  const query = { limit, ...defined({ after }) };
  const found = await store.objects.page(SYSTEM_EDGES.copyrightMatches, query);
  const rows = found.entries
    .map(({ member, score, value }) => matchRow(member, score, value as StoredMatch))
    .filter((row) => state === undefined || row.state === state);
  const next = found.hasNext ? found.entries.at(-1)?.cursor : undefined;
  return { rows, ...defined({ next }) };
}

interface PageOf {
  readonly limit?: number;
  readonly after?: string;
}

function matchRow(id: string, foundMs: number, { subjectId, ownerId, state, details, dispute }: StoredMatch) {
  const disputed = dispute === undefined ? {} : { dispute: dispute.reason, disputed_ms: dispute.atMs };
  return { id, found_ms: foundMs, state, subject_id: subjectId, owner_id: ownerId, ...disputed, ...details };
}

/** Confirming withholds the video, and stops the broadcast while it runs. Dismissing releases it. */
export async function decideMatch(
  context: MatchContext,
  id: string,
  state: 'confirmed' | 'dismissed',
  decider: Decider,
): Promise<MatchRow> {
  const { store } = context;
  const entry = await store.objects.edgeEntry(SYSTEM_EDGES.copyrightMatches, id);
  if (entry === undefined) throw parameterError(`No match has the id ${id}`);
  const match = { ...(entry.value as StoredMatch), state };
  await apply(context, id, match);
  const line = { action: `match.${state}`, ...decider, target: match.subjectId, owner: match.ownerId };
  await store.objects.commit([...matchWrites(id, entry.score, match), auditWrite(context, line)]);
  return matchRow(id, entry.score, match);
}

/** The recording of a broadcast is shown as the broadcast is, so both are changed. */
async function apply(context: MatchContext, id: string, match: StoredMatch): Promise<void> {
  const { store, clock } = context;
  const isStopped = match.state === 'confirmed';
  const { liveVideoId, videoId } = await subjectOf(context, match.subjectId);
  const isReleased = !isStopped && !(await isHeldByAnother(context, id, match.subjectId));
  if (liveVideoId !== undefined && (isStopped || isReleased)) {
    if (isStopped) await stopRunning(context, liveVideoId, match);
    const fields = { copyrightDecision: isStopped ? 'withheld' : 'released' };
    await context.broadcasts.request(liveVideoId, { type: 'edit', fields });
  }
  await updateObject<VideoData>(store.objects, clock, videoId, ({ data }) => ({
    data: {
      ...withoutMatch(data, isStopped ? undefined : match.details.reference_id),
      ...((isStopped || isReleased) && { isCopyrightStopped: isStopped }),
    },
  }));
}

/** Another match of the subject was confirmed, is disputed, or may have stopped it: the operator has to decide on that too. */
async function isHeldByAnother({ store }: MatchContext, id: string, subjectId: string): Promise<boolean> {
  const { entries } = await store.objects.page(edgeOf(subjectId, 'copyright_matches'), { limit: LIST_MAX });
  const others = await Promise.all(
    entries
      .filter(({ member }) => member !== id)
      .map(({ member }) => store.objects.edgeEntry(SYSTEM_EDGES.copyrightMatches, member)),
  );
  return others.some((entry) => {
    const { state, details } = (entry?.value ?? {}) as Partial<StoredMatch>;
    return state === 'confirmed' || state === 'disputed' || (state === 'open' && details?.policy === 'block');
  });
}

async function subjectOf({ store }: MatchContext, id: string): Promise<{ liveVideoId?: string; videoId: string }> {
  const subject = await store.objects.get<LiveVideoData | VideoData>(id);
  if (subject?.kind === 'live_video') return { liveVideoId: id, videoId: (subject.data as LiveVideoData).videoId };
  const { liveVideoId } = (subject?.data ?? {}) as Partial<VideoData>;
  return liveVideoId === undefined ? { videoId: id } : { liveVideoId, videoId: id };
}

async function stopRunning({ store, broadcasts }: MatchContext, id: string, { details }: StoredMatch): Promise<void> {
  const live = await store.objects.get<LiveVideoData>(id);
  if (live === undefined || isOver(live.data)) return;
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
