/** Owners, which only the administration can create: the HTTP interface has no operation for it. */

import { defined } from '../../lib/objects.js';
import type { OwnerData, OwnerKind } from '../../lifecycle/documents.js';
import {
  ALIAS,
  type Clock,
  edgeOf,
  type IdSource,
  type Store,
  type StoredObject,
  SYSTEM_EDGES,
  type Write,
} from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { auditWrite } from '../access/audit.js';
import type { Role } from '../access/scopes.js';
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

const ALL: Role = { tasks: ['MANAGE', 'CREATE_CONTENT', 'MODERATE', 'ANALYZE', 'ADVERTISE', 'MESSAGING'] };
const DAY_MS = 86_400_000;

/**
 * `by`: for the audit log. @throws ServiceError 100 when the manager is not a user; ConflictError when the username is
 * taken
 */
export async function createOwner(deps: AdminDeps, owner: NewOwner, by = 'server'): Promise<StoredObject<OwnerData>> {
  const nowMs = deps.clock.wallMs();
  if (owner.managerId !== undefined) await requireUser(deps, owner.managerId);
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

function roleWrites(ownerId: string, userId: string, role: Role, atMs: number): Write[] {
  return [
    { op: 'edgeAdd', ...edgeOf(ownerId, 'roles'), member: userId, score: atMs, value: role },
    { op: 'edgeAdd', ...edgeOf(userId, 'accounts'), member: ownerId, score: atMs, value: role },
  ];
}

async function requireUser(deps: AdminDeps, userId: string): Promise<void> {
  if ((await deps.store.objects.get(userId))?.kind !== 'user') throw parameterError(`No user has the id ${userId}`);
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
