/** Owners, which only the administration can create: the HTTP interface has no operation for it. */

import { defined } from '../../lib/objects.js';
import type { OwnerData, OwnerKind } from '../../lifecycle/documents.js';
import {
  ALIAS,
  type Clock,
  type IdSource,
  type Store,
  type StoredObject,
  SYSTEM_EDGES,
  TOPIC,
  updateObject,
  type Write,
} from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { auditWrite } from '../access/audit.js';
import { ALL, type RelationChanges, relationWrites, requireUser, roleWrites } from '../access/relations.js';
import { type ListQuery, listed } from './listing.js';

export interface AdminDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
}

export interface NewOwner {
  readonly kind: OwnerKind;
  readonly name: string;
  readonly username?: string;
  /** Users: age of the profile, a condition for going live. */
  readonly profileAgeDays?: number;
  readonly followers?: number;
  /** Groups. */
  readonly privacy?: 'OPEN' | 'CLOSED' | 'SECRET';
  /** Pages and groups: id of a user who gets all tasks. */
  readonly managerId?: string;
}

const DAY_MS = 86_400_000;

/**
 * `by`: for the audit log. @throws ServiceError 100 when the manager is not a user; ConflictError when the username is
 * taken
 */
export async function createOwner(deps: AdminDeps, owner: NewOwner, by = 'server'): Promise<StoredObject<OwnerData>> {
  const nowMs = deps.clock.wallMs();
  if (owner.managerId !== undefined) await requireUser(deps.store.objects, owner.managerId);
  const data: OwnerData = {
    name: owner.name,
    ...(owner.username === undefined ? {} : { username: owner.username.toLowerCase() }),
    ...(owner.kind === 'user' ? { profileCreatedMs: nowMs - (owner.profileAgeDays ?? 0) * DAY_MS } : {}),
    ...defined({ followers: owner.followers }),
    ...(owner.kind === 'group' ? { privacy: owner.privacy ?? 'OPEN' } : {}),
  };
  const object = { id: deps.ids.next(), kind: owner.kind, createdMs: nowMs, updatedMs: nowMs, data } as const;
  const writes: Write[] = [
    { op: 'put', object, expect: 0 },
    ...(data.username === undefined
      ? []
      : ([{ op: 'alias', alias: ALIAS.username(data.username), id: object.id }] as const)),
    { op: 'edgeAdd', ...SYSTEM_EDGES.owners, member: object.id, score: nowMs },
    ...(owner.managerId === undefined ? [] : roleWrites(object.id, owner.managerId, ALL, nowMs)),
    auditWrite(deps, { action: 'owner.add', who: by, target: object.id }),
  ];
  await deps.store.objects.commit(writes);
  return { ...object, version: 1 };
}

/** Limits of an owner; `default` restores the server's. */
type Limit = number | 'default';

export interface OwnerChanges extends RelationChanges {
  readonly followers?: number;
  /** Users: creation of the profile. */
  readonly profileCreatedMs?: number;
  /** Groups. */
  readonly privacy?: NewOwner['privacy'];
  readonly limits?: { readonly [name in 'maxPublishers' | 'maxObjects' | 'maxBytes']?: Limit };
}

/** @throws ServiceError 100 for a change that this kind of owner does not take */
export async function changeOwner(
  deps: AdminDeps & { readonly store: Pick<Store, 'objects' | 'bus'> },
  owner: StoredObject<OwnerData>,
  changes: OwnerChanges,
  by: string,
): Promise<void> {
  const { store, clock } = deps;
  const { followers, profileCreatedMs, privacy, limits = {}, ...relations } = changes;
  const kind = owner.kind as OwnerKind;
  if (followers !== undefined && kind === 'group')
    throw parameterError('Users and Pages have followers, groups do not');
  if (profileCreatedMs !== undefined && kind !== 'user') throw parameterError('Param created is for users');
  if (profileCreatedMs !== undefined && profileCreatedMs > clock.wallMs())
    throw parameterError('Param created must not be in the future');
  if (privacy !== undefined && kind !== 'group') throw parameterError('Param privacy is for groups');
  const related = await relationWrites(store.objects, { id: owner.id, kind }, relations, clock.wallMs());
  const line = auditWrite(deps, { action: 'owner.set', who: by, target: owner.id });
  await updateObject<OwnerData>(store.objects, clock, owner.id, ({ data }) => {
    const restored = Object.entries(limits).flatMap(([name, limit]) => (limit === 'default' ? [name] : []));
    const kept = Object.entries(data).filter(([name]) => !restored.includes(name));
    const set = Object.entries(limits).filter(([, limit]) => limit !== 'default');
    const next = { ...Object.fromEntries(kept), ...Object.fromEntries(set), name: data.name };
    return { data: { ...next, ...defined({ followers, profileCreatedMs, privacy }) }, also: [...related, line] };
  });
  if (related.length > 0) store.bus.publish(TOPIC.tokens, { ownerId: owner.id });
}

export interface OwnerRow {
  readonly id: string;
  readonly kind: OwnerKind;
  readonly name: string;
  readonly username?: string;
  readonly created_ms: number;
  readonly profile_age_days?: number;
  readonly followers?: number;
  /** Groups. */
  readonly privacy?: string;
}

export function ownerRow(owner: StoredObject<OwnerData>, nowMs: number): OwnerRow {
  const { name, username, followers, profileCreatedMs, privacy } = owner.data;
  return {
    id: owner.id,
    kind: owner.kind as OwnerKind,
    name,
    ...defined({ username }),
    created_ms: owner.createdMs,
    ...(profileCreatedMs === undefined ? {} : { profile_age_days: Math.floor((nowMs - profileCreatedMs) / DAY_MS) }),
    ...defined({ followers }),
    ...(typeof privacy === 'string' ? { privacy } : {}),
  };
}

export async function listOwners(
  deps: AdminDeps,
  query: ListQuery = {},
): Promise<{ readonly owners: readonly OwnerRow[]; readonly after?: string }> {
  const nowMs = deps.clock.wallMs();
  const { rows, ...page } = await listed<OwnerData, OwnerRow>(deps.store, SYSTEM_EDGES.owners, query, (owner) =>
    ownerRow(owner, nowMs),
  );
  return { owners: rows, ...page };
}
