/** Administration of forwards. */
import { auditWrite } from '../../api/access/audit.js';
import { addForward, removeForward, reportOf } from '../../api/resources/forward.js';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, OwnerData } from '../../lifecycle/documents.js';
import { forwardsOf, type StoredForward, type StoredObject } from '../../ports/index.js';
import { isOwnerKind } from '../../spec/owner-kinds.js';
import { parameterError } from '../../spec/service-errors.js';
import { type AdminActions, type AdminContext, type AdminInput, optionalText, text } from './context.js';
import { forwardSeen } from './report-sources.js';

const WHO = 'command line';

export function forwardActions(context: AdminContext): AdminActions {
  return {
    'forward.add': (input) => add(context, input),
    'forward.list': (input) => list(context, text(input, 'id')),
    'forward.remove': (input) => remove(context, text(input, 'id')),
  };
}

/** Without the key. */
async function rowOf(context: AdminContext, forward: StoredForward, live?: StoredObject<LiveVideoData>) {
  const { id, data } = forward;
  const seen = { ...forward, ...defined({ liveVideoId: live?.id }) };
  const [report, { state, text: says }] = await Promise.all([
    reportOf(seen, context),
    forwardSeen(context, forward, live),
  ]);
  return {
    id,
    subject_id: data.rootId,
    name: data.name,
    url: data.url,
    when: data.when,
    enabled: data.enabled,
    state,
    text: says,
    ...defined({
      since_ms: report?.sinceMs,
      sent_kbps: report?.sentKbps,
      lag_ms: report?.lagMs,
      held_by: report?.heldBy,
      reason: report?.reason,
      next_try_ms: report?.nextTryMs,
    }),
  };
}

/** A live video or an owner. */
async function loadSubject(
  { store }: AdminContext,
  id: string,
): Promise<StoredObject<LiveVideoData> | StoredObject<OwnerData>> {
  const found = await store.objects.get(id);
  if (found?.kind === 'live_video') return found as StoredObject<LiveVideoData>;
  if (found !== undefined && isOwnerKind(found.kind)) return found as StoredObject<OwnerData>;
  throw parameterError(`No live video and no owner has the id ${id}`);
}

async function add(context: AdminContext, input: AdminInput): Promise<unknown> {
  const subject = await loadSubject(context, text(input, 'id'));
  const when = optionalText(input, 'when') ?? 'always';
  if (when !== 'always' && when !== 'healthy') throw parameterError('Param when must be always or healthy');
  const wanted = { url: text(input, 'url'), key: text(input, 'key'), name: optionalText(input, 'name'), when } as const;
  const forward = await addForward(context, subject, wanted, ({ id, data }) =>
    auditWrite(context, { action: 'forward.add', who: WHO, target: id, owner: data.ownerId }),
  );
  return rowOf(context, forward);
}

/** Those of a live video, then those of its owner; of an owner, its own. */
async function list(context: AdminContext, id: string): Promise<unknown> {
  const subject = await loadSubject(context, id);
  const isLive = subject.kind === 'live_video';
  const ids = isLive ? [id, (subject.data as LiveVideoData).ownerId] : [id];
  const found = await forwardsOf(context.store.objects, ids);
  const rows = found.map((forward) =>
    rowOf(context, forward, isLive ? (subject as StoredObject<LiveVideoData>) : undefined),
  );
  return { forwards: await Promise.all(rows) };
}

async function remove(context: AdminContext, id: string): Promise<unknown> {
  const forward = await context.store.objects.get(id);
  if (forward?.kind !== 'forward') throw parameterError(`No forward has the id ${id}`);
  const { ownerId: owner } = (forward as StoredForward).data;
  const line = auditWrite(context, { action: 'forward.remove', who: WHO, target: id, owner });
  await removeForward(context, forward as StoredForward, line);
  return { success: true };
}
