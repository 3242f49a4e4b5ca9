/** `/{live-video-id}/forwards` and `/{owner-id}/forwards`: targets to which broadcasts are passed on, with their state. */
import { z } from 'zod';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, OwnerData, OwnerKind } from '../../lifecycle/documents.js';
import { isOver } from '../../lifecycle/lifecycle.js';
import {
  edgeOf,
  type ForwardData,
  type ForwardReport,
  type ForwardSettings,
  type ForwardWhen,
  forwardsOf,
  type StoredForward,
  type StoredObject,
  SYSTEM_EDGES,
  TOPIC,
  VOLATILE,
  type Write,
} from '../../ports/index.js';
import { isOwnerKind } from '../../spec/owner-kinds.js';
import { parameterError, quotaError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { type Call, type Services, SUCCESS } from '../graph/call.js';
import { defineEdge } from '../graph/edge.js';
import { byDefault, defineNodeType, type Field } from '../graph/node-type.js';
import { objectKeys } from '../graph/object-keys.js';
import { pageOfList } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { graphTime } from '../graph/values.js';
import { bool, oneOf, text } from '../params/kinds.js';
import { changeLine } from './shared/change-line.js';
import { editObject } from './shared/edit.js';

/** `liveVideoId`: the broadcast whose state is shown, of a forward that an owner has for all of them. */
type Forward = StoredForward & { readonly liveVideoId?: string };
type Subject = LiveVideoData | OwnerData;

/** Absent while nothing arrives, and where no process reports. */
export async function reportOf(
  { id, data, liveVideoId }: Forward,
  { store, forwards }: Pick<Services, 'store' | 'forwards'>,
): Promise<ForwardReport | undefined> {
  if (!data.enabled || forwards?.isOn !== true) return undefined;
  const key = liveVideoId === undefined ? VOLATILE.forward(id) : VOLATILE.forwardOf(id, liveVideoId);
  return (await store.volatile.get(key)) as ForwardReport | undefined;
}

export async function stateOf(
  forward: Forward,
  services: Pick<Services, 'store' | 'forwards'>,
): Promise<ForwardReport['state']> {
  if (!forward.data.enabled || services.forwards?.isOn !== true) return 'off';
  return (await reportOf(forward, services))?.state ?? 'waiting';
}

const reported = (
  type: string,
  description: string,
  read: (report: ForwardReport, call: Call) => unknown,
): Field<Forward> =>
  byDefault(type, description, async (forward: Forward, call) => {
    const report = await reportOf(forward, call.services);
    return report && read(report, call);
  });

export const forwardType = defineNodeType<Forward>({
  typeName: 'Forward',
  node: 'forward',
  idOf: (forward) => forward.id,
  fields: {
    id: byDefault('numeric string', 'Id of the forward.', (forward) => forward.id),
    name: byDefault('string', 'Name that its owner gave.', ({ data }) => data.name),
    url: byDefault('string', 'RTMP or RTMPS URL of the target, without the stream key.', ({ data }) => data.url),
    when: byDefault(
      'always or healthy',
      '`healthy`: only while the stream has no open error, after ten seconds without one.',
      ({ data }) => data.when,
    ),
    enabled: byDefault('bool', 'Whether it is switched on.', ({ data }) => data.enabled),
    subject_id: byDefault(
      'numeric string',
      'The live video, or the owner for all of whose broadcasts it is.',
      ({ data }) => data.rootId,
    ),
    state: byDefault(
      'off, waiting, connecting, sending, held, behind, retrying or refused',
      'State now; of an owner’s forward, for the broadcast that reported last.',
      (forward, call) => stateOf(forward, call.services),
    ),
    since: reported('datetime', 'When the state began.', ({ sinceMs }, call) => graphTime(sinceMs, call)),
    attempts: reported('int', 'Connection attempts since it last sent.', ({ attempts }) => attempts),
    next_try_time: reported('datetime', 'When the next attempt is due.', ({ nextTryMs }, call) =>
      graphTime(nextTryMs, call),
    ),
    last_status: {
      type: 'object',
      description: 'The last status message of the target, word for word: `{level, code, description, time}`.',
      isDefault: true,
      keys: objectKeys('level,code,description,time'),
      read: async (forward, call) => {
        const status = (await reportOf(forward, call.services))?.lastStatus;
        if (status === undefined) return undefined;
        const { level, code, description, atMs } = status;
        return { level, code, description, time: graphTime(atMs, call) };
      },
    },
    reason: reported('string', 'Why nothing is sent, while it is tried again.', ({ reason }) => reason),
    held_by: reported('list<int>', 'Codes of the open errors that hold it.', ({ heldBy }) => heldBy),
    bytes_sent: reported('int', 'Bytes of media sent to the target.', ({ bytesSent }) => bytesSent),
    sent_kbps: reported('int', 'Rate of the last seconds.', ({ sentKbps }) => sentKbps),
    lag_ms: reported('int', 'Age of the oldest packet that waits for the target.', ({ lagMs }) => lagMs),
    dropped_ms: reported('int', 'Media left out for a slow or absent target.', ({ droppedMs }) => droppedMs),
    remote: reported('string', 'Address and port of the target.', ({ remote }) => remote),
  },
});

/** Forwards of a live video, then those of its owner; of an owner, its own. */
export const forwardsEdge = defineEdge<Subject, z.ZodObject>({
  row: 'forward',
  params: z.object({}),
  read: async ({ call, owner, paging }) => {
    const { ownerId } = owner.data as LiveVideoData;
    const isLive = owner.kind === 'live_video';
    const subjects = isLive ? [owner.id, ownerId] : [owner.id];
    const found = await forwardsOf(call.services.store.objects, subjects);
    const seenFrom = isLive ? { liveVideoId: owner.id } : {};
    const rows = found.map((forward): Forward => ({ ...forward, ...seenFrom }));
    return pageOfList(rows, ({ id }) => id, paging);
  },
});

// ---------------------------------------------------------------- writes

const URL_MAX = 1_000;
const KEY_MAX = 1_000;
const fields = {
  name: text({ max: 100 }).optional(),
  when: oneOf(['always', 'healthy']).optional(),
  enabled: bool().optional(),
};
const createParams = z.object({ url: text({ max: URL_MAX }), stream_key: text({ max: KEY_MAX }), ...fields });
const updateParams = z.object({
  url: text({ max: URL_MAX }).optional(),
  stream_key: text({ max: KEY_MAX }).optional(),
  ...fields,
});

export const createForward = operation<Subject, typeof createParams>(createParams, async (call, target, params) => {
  const { stream_key: key, ...rest } = params;
  const forward = await addForward(call.services, target, { ...rest, key }, (object) =>
    changeLine(call, 'add', object),
  );
  return { body: { id: forward.id } };
});

/** Parts that a forward is added with, from a call or elsewhere. */
export type ForwardDeps = Pick<Services, 'store' | 'clock' | 'ids' | 'forwards'>;

export interface WantedForward {
  readonly url: string;
  readonly key: string;
  readonly name?: string | undefined;
  readonly when?: ForwardWhen | undefined;
  readonly enabled?: boolean | undefined;
}

/** `lineOf`: the audit line, for the same transaction. @throws ServiceError */
export async function addForward(
  deps: ForwardDeps,
  target: StoredObject<Subject>,
  { url, key, name = new URL(url).hostname, when = 'always', enabled = true }: WantedForward,
  lineOf: (forward: StoredForward) => Write,
): Promise<StoredForward> {
  const settings = settingsOf(deps);
  await checkTarget(settings, url);
  const isOwner = isOwnerKind(target.kind);
  const live = target.data as LiveVideoData;
  if (!isOwner && isOver(live)) throw parameterError('The broadcast is over');
  const ownerId = isOwner ? target.id : live.ownerId;
  const ownerKind = isOwner ? (target.kind as OwnerKind) : live.ownerKind;
  await requireRoom(deps, settings, target.id, ownerId);
  const nowMs = deps.clock.wallMs();
  const sealedKey = settings.seal(key);
  const data: ForwardData = { rootId: target.id, ownerId, ownerKind, name, url, when, enabled, sealedKey };
  const times = { createdMs: nowMs, updatedMs: nowMs };
  const forward: StoredForward = { id: deps.ids.next(), kind: 'forward', version: 1, ...times, data };
  const { version: _, ...object } = forward;
  await deps.store.objects.commit([
    { op: 'put', object, expect: 0 },
    ...placesOf(forward).map((place): Write => ({ op: 'edgeAdd', ...place, score: nowMs })),
    lineOf(forward),
  ]);
  announce(deps, data);
  return forward;
}

export const updateForward = operation<ForwardData, typeof updateParams>(
  updateParams,
  async (call, forward, { url, stream_key: key, name, when, enabled }) => {
    const settings = settingsOf(call.services);
    if (url !== undefined && url !== forward.data.url) {
      // A token that may change the URL could have the key sent elsewhere.
      if (key === undefined) throw parameterError('Param stream_key must be given again with another url');
      await checkTarget(settings, url);
    }
    const sealedKey = key === undefined ? undefined : settings.seal(key);
    const changes = defined({ url, name, when, enabled, sealedKey });
    const line = changeLine(call, 'change', forward);
    await editObject<ForwardData>(call, forward.id, (data) => ({ ...data, ...changes }), [line]);
    announce(call.services, forward.data);
    return SUCCESS;
  },
);

export const deleteForward = operation<ForwardData, z.ZodObject>(z.object({}), async (call, forward) => {
  await removeForward(call.services, forward, changeLine(call, 'delete', forward));
  call.loader.forget(forward.id);
  return SUCCESS;
});

/** `line`: the audit line, for the same transaction. */
export async function removeForward(deps: Pick<Services, 'store'>, forward: StoredForward, line: Write): Promise<void> {
  await deps.store.objects.commit([...forwardRemoval(forward), line]);
  announce(deps, forward.data);
}

/** For the transaction that deletes its subject. */
export function forwardRemoval(forward: Pick<StoredObject<ForwardData>, 'id' | 'data'>): Write[] {
  const places = placesOf(forward).map((place): Write => ({ op: 'edgeRemove', ...place }));
  return [{ op: 'delete', id: forward.id }, ...places];
}

/** The lists that it is in. */
function placesOf({ id: member, data: { rootId, ownerId } }: Pick<StoredForward, 'id' | 'data'>) {
  const names = [edgeOf(rootId, 'forwards'), edgeOf(ownerId, 'owned_forwards'), SYSTEM_EDGES.forwards];
  return names.map((name) => ({ ...name, member }));
}

function announce({ store }: Pick<Services, 'store'>, { rootId }: ForwardData): void {
  store.bus.publish(TOPIC.forwards, { subjectId: rootId });
}

/** @throws ServiceError where the operator has switched forwards off */
function settingsOf({ forwards }: Pick<Services, 'forwards'>): ForwardSettings {
  if (forwards?.isOn !== true) throw parameterError('Forwards are switched off on this server');
  return forwards;
}

/** @throws ServiceError */
async function checkTarget(settings: ForwardSettings, url: string): Promise<void> {
  const refusal = await settings.refusal(url);
  if (refusal !== undefined) throw parameterError(`Param url is refused: ${refusal}`);
}

/** Forwards of broadcasts that are over do not count. @throws ServiceError 341 */
async function requireRoom(
  { store: { objects } }: ForwardDeps,
  settings: ForwardSettings,
  subjectId: string,
  ownerId: string,
): Promise<void> {
  const { perSubject, perOwner } = settings;
  if ((await objects.edgeSize(edgeOf(subjectId, 'forwards'))) >= perSubject)
    throw quotaError(`A broadcast, or an owner for all of them, has at most ${perSubject} forwards.`);
  const { entries } = await objects.page(edgeOf(ownerId, 'owned_forwards'), { limit: API_LIMITS.forwardsRead });
  const owned = await objects.getMany(entries.map(({ member }) => member));
  const roots = await objects.getMany(owned.flatMap((each) => (each ? [(each as StoredForward).data.rootId] : [])));
  const counted = roots.filter((root) => root?.kind !== 'live_video' || !isOver(root.data as LiveVideoData));
  if (counted.length >= perOwner) throw quotaError(`An owner has at most ${perOwner} forwards.`);
}
