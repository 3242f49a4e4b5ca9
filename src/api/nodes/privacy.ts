/** The privacy parameter and its reading. */
import { z } from 'zod';
import type { OwnerKind, Privacy } from '../../broadcast/documents.js';
import { parameterError } from '../../spec/service-errors.js';
import { object, oneOf, toList } from '../params/kinds.js';

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

/** `{"value":"SELF"}`, as an object, as text, or a bare value. */
export const privacyParam = z.preprocess(
  (value) => (typeof value === 'string' && /^\s*[A-Za-z_]+\s*$/.test(value) ? { value } : value),
  object({ value: oneOf(VALUES), allow: names, deny: names }),
);

/** What is kept: Pages are public always, so what they set is read and passed over. */
export function privacyFor(
  ownerKind: OwnerKind,
  given: z.output<typeof privacyParam> | undefined,
): Privacy | undefined {
  if (ownerKind === 'page') return { value: 'EVERYONE', allow: '', deny: '' };
  if (given === undefined) return undefined;
  if (given.value === 'CUSTOM' && !given.allow && !given.deny) {
    throw parameterError('Param privacy must be given allow or deny with CUSTOM');
  }
  return { value: given.value, allow: given.allow ?? '', deny: given.deny ?? '' };
}

export function privacyView(privacy: Privacy | undefined): object | undefined {
  if (privacy === undefined) return undefined;
  const { value, allow, deny } = privacy;
  return { allow, deny, description: DESCRIPTIONS[value], friends: '', networks: '', value };
}
