/** A reference that an owner monitors: a video, the action on a match, and where it does not apply. */

export const POLICIES = ['monitor', 'block'] as const;
export type Policy = (typeof POLICIES)[number];

/** Part of a reference, in milliseconds from its start. */
export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Reference {
  /** The video that holds the content; also the id of the reference. */
  readonly videoId: string;
  /** The Page that owns it. */
  readonly ownerId: string;
  readonly policy: Policy;
  /** Ranges that are not matched: trailers, jingles, content of others. */
  readonly excluded: readonly Range[];
  /** Pages whose broadcasts and videos are not matched. */
  readonly allowedPages: readonly string[];
}

/** Content of the same owner and of allowed Pages is never matched. */
export function appliesTo(reference: Reference, ownerId: string): boolean {
  return reference.ownerId !== ownerId && !reference.allowedPages.includes(ownerId);
}

export function isExcluded({ excluded }: Reference, fromMs: number, toMs: number): boolean {
  return excluded.some((range) => fromMs < range.toMs && toMs > range.fromMs);
}
