/** Kinds of objects that own videos and live videos. */
export const OWNER_KINDS = ['page', 'group', 'user'] as const;
export type OwnerKind = (typeof OWNER_KINDS)[number];

export const isOwnerKind = (kind: string): kind is OwnerKind => (OWNER_KINDS as readonly string[]).includes(kind);
