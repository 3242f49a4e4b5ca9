/** Who belongs to an owner: people with a role on a Page or in a group, and friends of a user. Each is stored at both ends. */
import type { OwnerKind } from '../../lifecycle/documents.js';
import { edgeOf, type Store, type Write } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import type { Role } from './scopes.js';

/** The role of a manager. */
export const ALL: Role = { tasks: ['MANAGE', 'CREATE_CONTENT', 'MODERATE', 'ANALYZE', 'ADVERTISE', 'MESSAGING'] };
/** The role of a member of a group who manages nothing. */
export const MEMBER: Role = { tasks: [] };

type Objects = Pick<Store['objects'], 'get' | 'edgeEntry'>;

export function roleWrites(ownerId: string, userId: string, role: Role, atMs: number): Write[] {
  return [
    { op: 'edgeAdd', ...edgeOf(ownerId, 'roles'), member: userId, score: atMs, value: role },
    { op: 'edgeAdd', ...edgeOf(userId, 'accounts'), member: ownerId, score: atMs, value: role },
  ];
}

/** Changes of the relations of an owner, as ids of users. */
export interface RelationChanges {
  readonly addManagers?: readonly string[];
  readonly addMembers?: readonly string[];
  /** Managers too. */
  readonly removeMembers?: readonly string[];
  readonly addFriends?: readonly string[];
  readonly removeFriends?: readonly string[];
}

/** @throws ServiceError 100 for an id that is no user's, and for an owner that has no such relation */
export async function relationWrites(
  objects: Objects,
  { id, kind }: { readonly id: string; readonly kind: OwnerKind },
  changes: RelationChanges,
  atMs: number,
): Promise<Write[]> {
  const { addManagers = [], addMembers = [], removeMembers = [], addFriends = [], removeFriends = [] } = changes;
  if (kind === 'user' && addManagers.length + addMembers.length + removeMembers.length > 0)
    throw parameterError('Pages and groups have managers and members, users do not');
  if (kind !== 'group' && addMembers.length > 0) throw parameterError('Groups have members, others do not');
  if (kind !== 'user' && addFriends.length + removeFriends.length > 0)
    throw parameterError('Users have friends, others do not');
  const writes: Write[] = [];
  for (const userId of removeMembers) {
    writes.push({ op: 'edgeRemove', ...edgeOf(id, 'roles'), member: userId });
    writes.push({ op: 'edgeRemove', ...edgeOf(userId, 'accounts'), member: id });
  }
  for (const userId of addMembers) {
    await requireUser(objects, userId);
    // A manager stays one.
    if (removeMembers.includes(userId) || (await objects.edgeEntry(edgeOf(id, 'roles'), userId)) === undefined)
      writes.push(...roleWrites(id, userId, MEMBER, atMs));
  }
  for (const userId of addManagers) {
    await requireUser(objects, userId);
    writes.push(...roleWrites(id, userId, ALL, atMs));
  }
  for (const userId of removeFriends) {
    writes.push({ op: 'edgeRemove', ...edgeOf(id, 'friends'), member: userId });
    writes.push({ op: 'edgeRemove', ...edgeOf(userId, 'friends'), member: id });
    writes.push({ op: 'edgeRemove', ...edgeOf(userId, 'friend_offers'), member: id });
  }
  for (const userId of addFriends) {
    if (userId === id) throw parameterError('A user is no friend of itself');
    await requireUser(objects, userId);
    writes.push({ op: 'edgeRemove', ...edgeOf(id, 'friend_offers'), member: userId });
    writes.push({ op: 'edgeAdd', ...edgeOf(id, 'friends'), member: userId, score: atMs });
    writes.push({ op: 'edgeAdd', ...edgeOf(userId, 'friends'), member: id, score: atMs });
  }
  return writes;
}

/** @throws ServiceError 100 */
export async function requireUser(objects: Pick<Objects, 'get'>, userId: string): Promise<void> {
  if ((await objects.get(userId))?.kind !== 'user') throw parameterError(`No user has the id ${userId}`);
}
