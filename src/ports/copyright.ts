/** Copyright references and matches as the store has them. */
import { defined } from '../lib/objects.js';
import type { MatchDetails } from '../spec/error-record.js';
import { edgeOf, SYSTEM_EDGES } from './keys.js';
import type { EdgeEntry, ObjectStore, Write } from './objects.js';

/** An owner's terms for a reference. */
export interface StoredTerms {
  readonly policy: 'monitor' | 'block';
  /** Ranges that are not matched. */
  readonly excluded: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Pages whose broadcasts and videos are not matched. */
  readonly allowedPages: readonly string[];
}

export interface StoredReference extends StoredTerms {
  /** The video with the content; also the id of the reference. */
  readonly videoId: string;
  /** The Page that owns it. */
  readonly ownerId: string;
}

/** `open` until the operator decides, `disputed` from the owner's dispute to the decision on it. */
export const MATCH_STATES = ['open', 'disputed', 'confirmed', 'dismissed'] as const;
export type MatchState = (typeof MATCH_STATES)[number];

export interface StoredMatch {
  /** The live video or the video in which it was found. */
  readonly subjectId: string;
  readonly ownerId: string;
  readonly details: MatchDetails;
  readonly state: MatchState;
  /** Sample of a broadcast that confirmed the match. */
  readonly heard?: HeardSample;
  /** The owner of the subject says why the match is wrong. Once for each match. */
  readonly dispute?: { readonly reason: string; readonly atMs: number };
}

/** A blob with an FLV file, and the time of its start, as `start_ms` counts. */
export interface HeardSample {
  readonly key: string;
  readonly startMs: number;
  /** Its length; absent: 1. */
  readonly windows?: number;
}

/** The sound of a match: what was found in the broadcast or video, or the same place of the reference. */
export const MATCH_PIECES = ['found', 'reference'] as const;
export type MatchPiece = (typeof MATCH_PIECES)[number];

/** A WAV file, or why there is none. */
export type MatchClip = { readonly wav: Uint8Array } | { readonly gone: string };

/** Lists the match for the operator, and at its subject. */
export function matchWrites(id: string, foundMs: number, match: StoredMatch): Write[] {
  return [
    { op: 'edgeAdd', ...SYSTEM_EDGES.copyrightMatches, member: id, score: foundMs, value: match },
    { op: 'edgeAdd', ...edgeOf(match.subjectId, 'copyright_matches'), member: id, score: foundMs },
  ];
}

export function matchRemoval(id: string, subjectId: string): Write[] {
  return [
    { op: 'edgeRemove', ...SYSTEM_EDGES.copyrightMatches, member: id },
    { op: 'edgeRemove', ...edgeOf(subjectId, 'copyright_matches'), member: id },
  ];
}

/** The state that the media process reports while it runs. */
export interface DetectorState {
  /** `unavailable`: ffmpeg has no chromaprint muxer. */
  readonly state: 'on' | 'idle' | 'unavailable';
  readonly references: number;
  /** Length of all indexed references. */
  readonly lengthMs: number;
  /** References that did not fit into the index. */
  readonly omitted: number;
  /** Owners with whose content no reference is compared: all are their own or allow them. */
  readonly exempt?: readonly string[];
}

/** Detector state as one owner sees it. */
export function stateFor(state: DetectorState | undefined, ownerId: string): DetectorState['state'] | undefined {
  return state?.state === 'on' && state.exempt?.includes(ownerId) ? 'idle' : state?.state;
}

const PAGE = 1_000;

export function referenceWrites({ videoId, ownerId, ...terms }: StoredReference, score: number): Write[] {
  const { policy, excluded, allowedPages } = terms;
  const value: StoredTerms = { policy, excluded, allowedPages };
  return [
    { op: 'edgeAdd', ...edgeOf(ownerId, 'copyright_references'), member: videoId, score, value },
    { op: 'edgeAdd', ...SYSTEM_EDGES.copyrightReferences, member: videoId, score, value: { ownerId, ...value } },
  ];
}

export function referenceRemoval(ownerId: string, videoId: string): Write[] {
  return [
    { op: 'edgeRemove', ...edgeOf(ownerId, 'copyright_references'), member: videoId },
    { op: 'edgeRemove', ...SYSTEM_EDGES.copyrightReferences, member: videoId },
  ];
}

/** All references, the oldest first. */
export async function* storedReferences(store: ObjectStore): AsyncGenerator<StoredReference & { addedMs: number }> {
  for await (const { member, score, value } of entries(store, true)) {
    yield { ...(value as Omit<StoredReference, 'videoId'>), videoId: member, addedMs: score };
  }
}

async function* entries(store: ObjectStore, ascending: boolean): AsyncGenerator<EdgeEntry> {
  let after: string | undefined;
  for (;;) {
    const query = { limit: PAGE, ascending, ...defined({ after }) };
    const page = await store.page(SYSTEM_EDGES.copyrightReferences, query);
    yield* page.entries;
    after = page.entries.at(-1)?.cursor;
    if (!page.hasNext || after === undefined) return;
  }
}
