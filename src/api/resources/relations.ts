/** Who belongs to an owner: members of a group, people with a role on a Page, friends of a user. */

import { z } from 'zod';
import type { OwnerData, OwnerKind } from '../../lifecycle/documents.js';
import { edgeOf, type PageQuery, type StoredObject, TOPIC, type Write } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { ALL, MEMBER, type RelationChanges, relationWrites, requireUser, roleWrites } from '../access/relations.js';
import { type Role, TASKS } from '../access/scopes.js';
import { type Call, SUCCESS } from '../graph/call.js';
import { defineEdge } from '../graph/edge.js';
import { filledPage, listNodes, nodesOf } from '../graph/listed.js';
import { byDefault, defineNodeType } from '../graph/node-type.js';
import { storeQuery } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { bool, id, list, oneOf } from '../params/kinds.js';
import { type Change, changeLine } from './shared/change-line.js';
import { type Profile, profileFields } from './shared/profile.js';

type Owner = StoredObject<OwnerData>;

export interface Person extends Profile {
  readonly role: Role;
}

export const personType = defineNodeType<Person>({
  typeName: 'User',
  idOf: (row) => row.id,
  fields: {
    ...profileFields,
    administrator: byDefault('bool', 'Whether the person manages the owner.', (row: Person) =>
      row.role.tasks.includes('MANAGE'),
    ),
    tasks: byDefault('list<string>', 'Tasks that the person may perform.', (row: Person) => row.role.tasks),
  },
});

/** The members of a group, or the people with a role at a Page. */
export const peopleEdge = defineEdge<OwnerData, z.ZodObject>({
  row: personType,
  params: z.object({}),
  lists: nodesOf('roles'),
  read: ({ call, owner, paging }) => {
    const read = (query: PageQuery) => call.loader.page(edgeOf(owner.id, 'roles'), query);
    return filledPage(paging, storeQuery(paging), read, async (userId, role) => {
      const user = (await call.loader.load(userId)) as Owner | undefined;
      return user && ({ id: userId, name: user.data.name, role: role as Role } satisfies Person);
    });
  },
});

export const friendsEdge = defineEdge<OwnerData, z.ZodObject>({
  row: 'user',
  params: z.object({}),
  lists: nodesOf('friends'),
  read: ({ call, owner, paging }) => listNodes(call, edgeOf(owner.id, 'friends'), paging),
});

async function change(call: Call, owner: Owner, changes: RelationChanges, what: Change): Promise<void> {
  const { objects } = call.services.store;
  const writes = await relationWrites(objects, { id: owner.id, kind: owner.kind as OwnerKind }, changes, call.nowMs);
  await commit(call, owner, writes, what);
}

/** Feeds and open streams are checked again at once. */
async function commit(call: Call, owner: Owner, writes: readonly Write[], what: Change): Promise<void> {
  const { objects, bus } = call.services.store;
  await objects.commit([...writes, changeLine(call, what, owner)]);
  bus.publish(TOPIC.tokens, { ownerId: owner.id });
}

const memberParams = z.object({ member: id(), administrator: bool().optional() });

export const addMember = operation<OwnerData, typeof memberParams>(memberParams, async (call, group, params) => {
  const { member, administrator } = params;
  if (administrator === false) {
    await requireUser(call.services.store.objects, member);
    await commit(call, group, roleWrites(group.id, member, MEMBER, call.nowMs), 'add');
  } else {
    await change(call, group, administrator ? { addManagers: [member] } : { addMembers: [member] }, 'add');
  }
  return SUCCESS;
});

const removedMember = z.object({ member: id() });

export const removeMember = operation<OwnerData, typeof removedMember>(removedMember, async (call, group, params) => {
  await change(call, group, { removeMembers: [params.member] }, 'delete');
  return SUCCESS;
});

const assignedParams = z.object({ user: id(), tasks: list(oneOf(TASKS)).optional() });

/** Without `tasks`, all of them. */
export const assignUser = operation<OwnerData, typeof assignedParams>(assignedParams, async (call, page, params) => {
  const { user, tasks = ALL.tasks } = params;
  if (tasks.length === 0) throw parameterError('Param tasks must not be empty: delete the user instead');
  await requireUser(call.services.store.objects, user);
  await commit(call, page, roleWrites(page.id, user, { tasks: [...new Set(tasks)] }, call.nowMs), 'add');
  return SUCCESS;
});

const unassignedParams = z.object({ user: id() });

export const unassignUser = operation<OwnerData, typeof unassignedParams>(
  unassignedParams,
  async (call, page, params) => {
    await change(call, page, { removeMembers: [params.user] }, 'delete');
    return SUCCESS;
  },
);

const friendParams = z.object({ uid: id() });

/** A friendship takes both: one asks, the other asks back. An operator makes it alone. */
export const befriend = operation<OwnerData, typeof friendParams>(friendParams, async (call, user, { uid }) => {
  const { objects } = call.services.store;
  const [asked, known] = await Promise.all([
    objects.edgeEntry(edgeOf(user.id, 'friend_offers'), uid),
    objects.edgeEntry(edgeOf(user.id, 'friends'), uid),
  ]);
  const isFriend = asked !== undefined || known !== undefined || call.access.isOperator;
  const kind = 'user';
  const writes = await relationWrites(objects, { id: user.id, kind }, { addFriends: [uid] }, call.nowMs);
  const offer: Write = { op: 'edgeAdd', ...edgeOf(uid, 'friend_offers'), member: user.id, score: call.nowMs };
  await commit(call, user, isFriend ? writes : [offer], 'add');
  return { body: { success: true, is_friend: isFriend } };
});

export const unfriend = operation<OwnerData, typeof friendParams>(friendParams, async (call, user, { uid }) => {
  await change(call, user, { removeFriends: [uid] }, 'delete');
  return SUCCESS;
});
