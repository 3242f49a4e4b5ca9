/** Pages, groups and users: the owners of videos. */
import type { OwnerData } from '../../broadcast/documents.js';
import { edgeOf, type StoredObject } from '../../ports/index.js';
import { pageTokenFor } from '../access/token-issue.js';
import type { Call } from '../graph/call.js';
import { absent, defineNodeType, type Field } from '../graph/node-type.js';
import { graphTime } from '../graph/values.js';

type Owner = StoredObject<OwnerData>;

const kept = (type: string, description: string, name: string): Field<Owner> => ({
  type,
  description,
  read: (owner) => owner.data[name],
});

const common = {
  id: { type: 'numeric string', description: 'The id.', isDefault: true, read: (owner) => owner.id },
  name: { type: 'string', description: 'The name.', isDefault: true, read: (owner) => owner.data.name },
  link: { type: 'string', description: 'Its address.', read: (owner, call) => `${call.origin}/${owner.id}` },
  picture: absent('string', 'Owners have no pictures here.'),
  cover: absent('CoverPhoto', 'Owners have no pictures here.'),
  icon: absent('string', 'Owners have no pictures here.'),
} satisfies Record<string, Field<Owner>>;

const followers: Field<Owner> = {
  type: 'int',
  description: 'How many follow it.',
  read: (owner) => owner.data.followers ?? 0,
};

export const pageType = defineNodeType<Owner>({
  typeName: 'Page',
  node: 'page',
  idOf: (owner) => owner.id,
  fields: {
    ...common,
    username: kept('string', 'The name in addresses.', 'username'),
    category: {
      type: 'string',
      description: 'The category.',
      read: (owner) => owner.data.category ?? 'Video Creator',
    },
    category_list: {
      type: 'list<object>',
      description: 'The categories.',
      read: (owner) => [{ id: '0', name: owner.data.category ?? 'Video Creator' }],
    },
    about: kept('string', 'What it is about.', 'about'),
    fan_count: followers,
    followers_count: followers,
    is_published: { type: 'bool', description: 'Whether it is public.', read: () => true },
    access_token: {
      type: 'string',
      description: 'A token of the Page, for people with a role on it.',
      read: (owner, call) => pageToken(owner, call),
    },
    persistent_stream_url: {
      type: 'string',
      description: 'The reusable stream URL, while it is enabled.',
      read: async (owner, call) =>
        (await call.access.manages(owner.id))
          ? (await call.services.broadcasts.persistentUrls(owner.id))?.secureStreamUrl
          : undefined,
    },
  },
});

async function pageToken(owner: Owner, call: Call): Promise<string | undefined> {
  if (!call.viewer || !(await call.access.manages(owner.id))) return undefined;
  if (call.viewer.ownerId === owner.id && call.token) return call.token.value;
  return call.token && pageTokenFor(call.services, call.token.value, call.viewer, owner.id);
}

export const groupType = defineNodeType<Owner>({
  typeName: 'Group',
  node: 'group',
  idOf: (owner) => owner.id,
  fields: {
    ...common,
    privacy: {
      type: 'OPEN, CLOSED or SECRET',
      description: 'Who sees what is posted in it.',
      isDefault: true,
      read: (owner) => owner.data.privacy ?? 'OPEN',
    },
    description: kept('string', 'What it is about.', 'about'),
    member_count: {
      type: 'int',
      description: 'How many have a role in it.',
      counts: { edge: 'roles' },
      read: (owner, call) => call.loader.size(edgeOf(owner.id, 'roles')),
    },
    updated_time: {
      type: 'datetime',
      description: 'Last change.',
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
      description: 'The address, for the user itself.',
      read: async (owner, call) => ((await call.access.manages(owner.id)) ? owner.data.email : undefined),
    },
    video_upload_limits: {
      type: 'object',
      description: 'Largest upload, in bytes; how long a video may be is not limited.',
      read: () => ({ size: 10_737_418_240 }),
    },
  },
});
