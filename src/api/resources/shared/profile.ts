/** Short form of owners in other resources: `{ id, name }`. */

import type { OwnerData, OwnerKind } from '../../../lifecycle/documents.js';
import type { StoredObject } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';
import { byDefault, defineNodeType, type Field, Ref } from '../../graph/node-type.js';

export interface Profile {
  readonly id: string;
  readonly name: string;
}

export const profileFields = {
  id: byDefault('numeric string', 'Id of the profile.', (row: Profile) => row.id),
  name: byDefault('string', 'Name of the profile.', (row: Profile) => row.name),
} satisfies Record<string, Field<Profile>>;

export const profileType = defineNodeType<Profile>({
  typeName: 'Profile',
  idOf: (row) => row.id,
  fields: {
    ...profileFields,
    link: { type: 'string', description: 'URL of the profile.', read: (row, call) => `${call.originOf()}/${row.id}` },
  },
});

/** A reference to an owner, by default `{ name, id }`, for fields such as `from`. */
export async function ownerRef(ownerId: string, call: Call): Promise<Ref | undefined> {
  const owner = (await call.loader.load(ownerId)) as StoredObject<OwnerData> | undefined;
  if (owner === undefined) return undefined;
  return new Ref(owner.kind as OwnerKind, owner, ['name', 'id']);
}

export const nameOf = (value: unknown): string => (value as { name?: string } | undefined)?.name ?? '';
