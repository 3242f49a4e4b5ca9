/** The parameter `privacy` and the field that shows it. */
import { z } from 'zod';
import type { OwnerData, OwnerKind, Privacy } from '../../../lifecycle/documents.js';
import type { StoredObject } from '../../../ports/index.js';
import { narrowerPrivacyError, parameterError } from '../../../spec/service-errors.js';
import type { Loader } from '../../context/loader.js';
import { objectKeys } from '../../graph/object-keys.js';
import { object, oneOf, toList } from '../../params/kinds.js';

const VALUES = ['EVERYONE', 'ALL_FRIENDS', 'FRIENDS_OF_FRIENDS', 'SELF', 'CUSTOM'] as const;

const DESCRIPTIONS: Readonly<Record<Privacy['value'], string>> = {
  EVERYONE: 'Public',
  ALL_FRIENDS: 'Your friends',
  FRIENDS_OF_FRIENDS: 'Your friends of friends',
  SELF: 'Only me',
  CUSTOM: 'Custom',
};

const names = z
  .preprocess((value) => {
    const list = toList(value);
    return Array.isArray(list) ? list.map(String).join(',') : value;
  }, z.string().max(10_000))
  .optional();

const EVERYONE: Privacy = { value: 'EVERYONE', allow: '', deny: '' };

/** `{"value":"SELF"}` as an object or as text, or a bare value. */
export const privacyParam = z.preprocess(
  (value) => (typeof value === 'string' && /^\s*[A-Za-z_]+\s*$/.test(value) ? { value } : value),
  object({ value: oneOf(VALUES), allow: names, deny: names }),
);

/** The parameter that hides an object whose privacy cannot be narrower. */
export const HIDE = { video: { published: 'false' }, liveVideo: { status: 'UNPUBLISHED' } } as const;

/**
 * The privacy to store. Pages are always public, and in groups the privacy of the group applies: there a narrower
 * audience is refused, not ignored. @throws ServiceError 100/1390008 that names what hides an object of this kind
 */
export function privacyFor(
  ownerKind: OwnerKind,
  given: z.output<typeof privacyParam> | undefined,
  kind: keyof typeof HIDE,
): Privacy | undefined {
  if (ownerKind !== 'user' && given !== undefined && given.value !== 'EVERYONE') {
    const what = ownerKind === 'page' ? 'a Page is public' : 'a group has the privacy of the group';
    throw narrowerPrivacyError(`Param privacy must be EVERYONE: content of ${what}`, HIDE[kind]);
  }
  if (ownerKind === 'page') return EVERYONE;
  if (ownerKind === 'group') return undefined;
  if (given === undefined) return undefined;
  if (given.value === 'CUSTOM' && !given.allow && !given.deny) {
    throw parameterError('Param privacy must contain allow or deny with the value CUSTOM');
  }
  return { value: given.value, allow: given.allow ?? '', deny: given.deny ?? '' };
}

/** The data that determines the audience of a published video or live video. */
export interface Audience {
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  readonly privacy?: Privacy;
}

export const PRIVACY_KEYS = objectKeys('allow,deny,description,friends,networks,value');

/** The audience of a group that is not open is its members; it is described by the group's name. */
export async function privacyView(of: Audience, loader: Loader): Promise<object | undefined> {
  if (of.ownerKind !== 'group') return view(of.ownerKind === 'page' ? EVERYONE : of.privacy);
  const group = (await loader.load(of.ownerId)) as StoredObject<OwnerData> | undefined;
  if (group === undefined) return undefined;
  return isOpen(group) ? view(EVERYONE) : view({ value: 'CUSTOM', allow: '', deny: '' }, group.data.name);
}

/** Whether it is visible to everyone once published. */
export async function isPublic(of: Audience, loader: Loader): Promise<boolean> {
  if (of.ownerKind === 'page') return true;
  if (of.ownerKind === 'user') return of.privacy?.value === 'EVERYONE';
  const group = (await loader.load(of.ownerId)) as StoredObject<OwnerData> | undefined;
  return group !== undefined && isOpen(group);
}

const isOpen = (group: StoredObject<OwnerData>): boolean => (group.data.privacy ?? 'OPEN') === 'OPEN';

function view(privacy: Privacy | undefined, description?: string): object | undefined {
  if (privacy === undefined) return undefined;
  const { value, allow, deny } = privacy;
  return { allow, deny, description: description ?? DESCRIPTIONS[value], friends: '', networks: '', value };
}
