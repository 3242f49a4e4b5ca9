/** The Pages that a user manages, the permissions of a token, and the users that a Page has blocked. */

import { z } from 'zod';
import type { LiveVideoData, OwnerData, TokenData } from '../../lifecycle/documents.js';
import { edgeOf, type PageQuery, type StoredObject, TOPIC } from '../../ports/index.js';
import { type Role, SCOPES } from '../access/scopes.js';
import { SUCCESS, viewerOf } from '../graph/call.js';
import { defineEdge } from '../graph/edge.js';
import { entriesOf, filledPage, listEntries, nodesOf } from '../graph/listed.js';
import { byDefault, defineNodeType, type Field } from '../graph/node-type.js';
import { pageOfList, storeQuery } from '../graph/paging.js';
import { operation } from '../graph/registry.js';
import { id, oneOf } from '../params/kinds.js';
import { pageType } from './owner.js';
import { changeLine } from './shared/change-line.js';
import { editObject } from './shared/edit.js';
import { profileType } from './shared/profile.js';

export interface Permission {
  readonly permission: string;
  readonly status: 'granted' | 'declined';
}

const permissionType = defineNodeType<Permission>({
  typeName: 'Permission',
  idOf: () => undefined,
  fields: {
    permission: byDefault('string', 'The scope.', (row) => row.permission),
    status: byDefault('granted or declined', 'Whether the token has the permission.', (row) => row.status),
  },
});

/** A Page with the user's role on it. */
interface Account extends StoredObject<OwnerData> {
  readonly role: Role;
}

const DEFAULTS = ['access_token', 'category', 'category_list', 'name', 'id'];

const accountType = defineNodeType<Account>({
  typeName: 'Page',
  node: 'page',
  idOf: (account) => account.id,
  fields: {
    ...Object.fromEntries(
      [...DEFAULTS, ...pageType.fields.keys()].flatMap((name): [string, Field<Account>][] => {
        const field = pageType.fields.get(name);
        if (field === undefined) return [];
        const { type, description, read } = field;
        const row: Field<Account> = { type, description, read: (account, call) => read(account, call) };
        return [[name, DEFAULTS.includes(name) ? { ...row, isDefault: true } : row]];
      }),
    ),
    tasks: {
      type: 'list<string>',
      description: 'Tasks that the user may perform on the Page.',
      isDefault: true,
      read: (account) => account.role.tasks,
    },
  },
});

export const accountsEdge = defineEdge<OwnerData, z.ZodObject>({
  row: accountType,
  params: z.object({}),
  lists: nodesOf('accounts'),
  // The list contains groups too, which are skipped.
  read: ({ call, owner, paging }) => {
    const read = (query: PageQuery) => call.loader.page(edgeOf(owner.id, 'accounts'), query);
    return filledPage(paging, storeQuery(paging), read, async (id, role) => {
      const page = await call.loader.load(id);
      return page?.kind === 'page' ? { ...page, role } : undefined;
    });
  },
});

export const permissionsEdge = defineEdge<OwnerData, z.ZodObject>({
  row: permissionType,
  params: z.object({}),
  read: async ({ call, paging }) => {
    const rows = SCOPES.map((permission) => ({
      permission,
      status: call.viewer?.scopes.has(permission) ? 'granted' : 'declined',
    }));
    return pageOfList(
      rows,
      (row) => row.permission,
      paging.limit < SCOPES.length ? paging : { ...paging, limit: SCOPES.length },
    );
  },
});

const removeParams = z.object({ permission: oneOf(SCOPES).optional() });

/** Removes one permission of the token, or revokes the token if no permission is given. */
export const removePermission = operation<OwnerData, typeof removeParams>(
  removeParams,
  async (call, user, params) => {
    const viewer = viewerOf(call);
    await editObject<TokenData>(
      call,
      viewer.tokenId,
      (data) =>
        params.permission === undefined
          ? { ...data, revokedMs: call.nowMs }
          : { ...data, scopes: data.scopes.filter((scope) => scope !== params.permission) },
      [changeLine(call, 'delete', user)],
    );
    call.services.store.bus.publish(TOPIC.tokens, { id: viewer.tokenId });
    return SUCCESS;
  },
  { segments: ['permission'] },
);

const blockedParams = z.object({ uid: id().optional() });

export const blockedUsersEdge = defineEdge<LiveVideoData, typeof blockedParams>({
  row: profileType,
  params: blockedParams,
  via: 'ownerId',
  lists: entriesOf('blocked'),
  read: async ({ call, owner, paging, params }) => {
    const edge = edgeOf(owner.data.ownerId, 'blocked');
    if (params.uid === undefined) return listEntries(call, edge, paging, blockedRow);
    const entry = await call.loader.entry(edge, params.uid);
    return pageOfList(entry === undefined ? [] : [blockedRow(entry)], (row) => row.id, paging);
  },
});

function blockedRow(entry: { member: string; value?: unknown }): { id: string; name: string } {
  return { id: entry.member, name: (entry.value as { name?: string } | undefined)?.name ?? '' };
}
