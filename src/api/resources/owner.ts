/** Owners: Pages, groups and users. */
import { z } from 'zod';
import { defined } from '../../lib/objects.js';
import type { OwnerData, OwnerKind } from '../../lifecycle/documents.js';
import { edgeOf, type StoredObject, TOPIC } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { pageTokenFor } from '../access/token-issue.js';
import { type Call, SUCCESS } from '../graph/call.js';
import { absent, defineNodeType, type Field } from '../graph/node-type.js';
import { objectKeys } from '../graph/object-keys.js';
import { operation } from '../graph/registry.js';
import { graphTime } from '../graph/values.js';
import { int, oneOf, time } from '../params/kinds.js';
import { changeLine } from './shared/change-line.js';
import { editObject } from './shared/edit.js';

type Owner = StoredObject<OwnerData>;

const stored = (type: string, description: string, name: string): Field<Owner> => ({
  type,
  description,
  read: (owner) => owner.data[name],
});

const common = {
  id: { type: 'numeric string', description: 'Id.', isDefault: true, read: (owner) => owner.id },
  name: { type: 'string', description: 'Name.', isDefault: true, read: (owner) => owner.data.name },
  link: { type: 'string', description: 'URL of the owner.', read: (owner, call) => `${call.originOf()}/${owner.id}` },
  picture: absent('string', 'Not available: owners have no pictures.'),
  cover: absent('CoverPhoto', 'Not available: owners have no pictures.'),
  icon: absent('string', 'Not available: owners have no pictures.'),
} satisfies Record<string, Field<Owner>>;

/** Inputs of the eligibility check, which the user and operators see. */
const profileField = (type: string, description: string, read: Field<Owner>['read']): Field<Owner> => ({
  type,
  description,
  read: async (owner, call) => ((await call.access.manages(owner.id)) ? read(owner, call) : undefined),
});

const followers: Field<Owner> = {
  type: 'int',
  description: 'Number of followers.',
  read: (owner) => owner.data.followers ?? 0,
};

export const pageType = defineNodeType<Owner>({
  typeName: 'Page',
  node: 'page',
  idOf: (owner) => owner.id,
  fields: {
    ...common,
    username: stored('string', 'Username, usable in place of the id.', 'username'),
    category: {
      type: 'string',
      description: 'Category.',
      read: (owner) => owner.data.category ?? 'Video Creator',
    },
    category_list: {
      type: 'list<object>',
      description: 'Categories.',
      keys: objectKeys('id,name'),
      read: (owner) => [{ id: '0', name: owner.data.category ?? 'Video Creator' }],
    },
    about: stored('string', 'Description of the owner.', 'about'),
    fan_count: followers,
    followers_count: followers,
    is_published: { type: 'bool', description: 'Whether the Page is public.', read: () => true },
    access_token: {
      type: 'string',
      description: 'A token of the Page, for users with a role on it.',
      read: (owner, call) => pageToken(owner, call),
    },
    persistent_stream_url: {
      type: 'string',
      description: 'Persistent stream URL, while enabled.',
      read: async (owner, call) =>
        (await call.access.mayPublish(owner.id, owner.kind as OwnerKind))
          ? (await call.services.broadcasts.persistentUrls(owner.id))?.secureStreamUrl
          : undefined,
    },
  },
});

async function pageToken(owner: Owner, call: Call): Promise<string | undefined> {
  if (!call.viewer || !(await call.access.manages(owner.id))) return undefined;
  if (call.viewer.ownerId === owner.id && call.token) return call.token.value;
  const { viewer, address: from } = call;
  return call.token && pageTokenFor(call.services, call.token.value, { viewer, from }, owner.id);
}

export const groupType = defineNodeType<Owner>({
  typeName: 'Group',
  node: 'group',
  idOf: (owner) => owner.id,
  fields: {
    ...common,
    privacy: {
      type: 'OPEN, CLOSED or SECRET',
      description: 'Audience of posts in the group.',
      isDefault: true,
      read: (owner) => owner.data.privacy ?? 'OPEN',
    },
    description: stored('string', 'Description of the owner.', 'about'),
    member_count: {
      type: 'int',
      description: 'Number of members with a role in the group.',
      counts: { edge: 'roles' },
      read: (owner, call) => call.loader.size(edgeOf(owner.id, 'roles')),
    },
    updated_time: {
      type: 'datetime',
      description: 'Time of the last change.',
      read: (owner, call) => graphTime(owner.updatedMs, call),
    },
  },
});

export const userType = defineNodeType<Owner>({
  typeName: 'User',
  node: 'user',
  idOf: (owner) => owner.id,
  fields: {
    ...common,
    email: {
      type: 'string',
      description: 'Email address; visible to the user only.',
      read: async (owner, call) => ((await call.access.manages(owner.id)) ? owner.data.email : undefined),
    },
    followers_count: profileField(
      'int',
      'Number of followers, of which going live takes 100; visible to the user only.',
      (owner) => owner.data.followers ?? 0,
    ),
    created_time: profileField(
      'datetime',
      'When the profile was created, 60 days before it goes live; visible to the user only.',
      (owner, call) => graphTime(owner.data.profileCreatedMs ?? owner.createdMs, call),
    ),
    video_upload_limits: {
      type: 'object',
      description: 'Maximum size of an upload, in bytes; the duration is not limited.',
      keys: objectKeys('length,size'),
      read: () => ({ size: 10_737_418_240 }),
    },
  },
});

const groupParams = z.object({ privacy: oneOf(['OPEN', 'CLOSED', 'SECRET']).optional() });

export const updateGroup = operation<OwnerData, typeof groupParams>(groupParams, async (call, group, { privacy }) => {
  if (privacy !== undefined) {
    const changed = (data: OwnerData): OwnerData => ({ ...data, privacy });
    await editObject<OwnerData>(call, group.id, changed, [changeLine(call, 'privacy of', group)]);
    call.services.store.bus.publish(TOPIC.tokens, { ownerId: group.id });
  }
  return SUCCESS;
});

const userParams = z.object({ followers_count: int({ min: 0 }).optional(), created_time: time().optional() });

export const updateUser = operation<OwnerData, typeof userParams>(userParams, async (call, user, params) => {
  const changes = defined({ followers: params.followers_count, profileCreatedMs: params.created_time });
  if (params.created_time !== undefined && params.created_time > call.nowMs)
    throw parameterError('Param created_time must not be in the future');
  if (Object.keys(changes).length === 0) return SUCCESS;
  const changed = (data: OwnerData): OwnerData => ({ ...data, ...changes });
  await editObject<OwnerData>(call, user.id, changed, [changeLine(call, 'profile of', user)]);
  return SUCCESS;
});
