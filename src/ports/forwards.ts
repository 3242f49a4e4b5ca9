/** Forwards as they are stored, and their state as every process reads it. */
import type { OwnerKind } from '../spec/owner-kinds.js';
import { edgeOf } from './keys.js';
import type { ObjectStore, StoredObject } from './objects.js';

export type ForwardWhen = 'always' | 'healthy';

export interface ForwardData {
  /** The live video, or the owner for all of whose broadcasts it is. */
  readonly rootId: string;
  readonly ownerId: string;
  readonly ownerKind: OwnerKind;
  readonly name: string;
  /** Without the key. */
  readonly url: string;
  readonly when: ForwardWhen;
  readonly enabled: boolean;
  /** The stream key, sealed with the server key. */
  readonly sealedKey: string;
}

export type StoredForward = StoredObject<ForwardData>;

/** More than a live video or an owner may have. */
const ALL = { limit: 1_000, ascending: true } as const;

/** Forwards of these live videos and owners, on and off: by subject, in the order in which they were added. */
export async function forwardsOf(
  objects: Pick<ObjectStore, 'pages' | 'getMany'>,
  subjects: readonly string[],
): Promise<readonly StoredForward[]> {
  const pages = await objects.pages(subjects.map((id) => ({ name: edgeOf(id, 'forwards'), query: ALL })));
  const ids = pages.flatMap(({ entries }) => entries.map(({ member }) => member));
  const found = ids.length === 0 ? [] : await objects.getMany(ids);
  return found.filter((each) => each?.kind === 'forward') as StoredForward[];
}

export type ForwardState =
  /** Switched off, by its owner or by the operator. */
  | 'off'
  /** For a stream that is LIVE, or for its first key frame. */
  | 'waiting'
  | 'connecting'
  | 'sending'
  /** The stream has an open error. */
  | 'held'
  /** The target is too slow: parts of the stream were left out. */
  | 'behind'
  | 'retrying'
  | 'refused';

/** The state of a forward for one broadcast, as its process reports it. Times in milliseconds since 1970. */
export interface ForwardReport {
  readonly forwardId: string;
  readonly liveVideoId: string;
  readonly ownerId: string;
  readonly name: string;
  readonly state: ForwardState;
  readonly sinceMs: number;
  readonly attempts: number;
  readonly nextTryMs?: number;
  /** In the target's own words. */
  readonly lastStatus?: {
    readonly level: string;
    readonly code: string;
    readonly description: string;
    readonly atMs: number;
  };
  /** Why nothing is sent, where the target gave no words. */
  readonly reason?: string;
  /** Codes of the open errors that hold it. */
  readonly heldBy?: readonly number[];
  readonly bytesSent: number;
  readonly sentKbps: number;
  readonly lagMs: number;
  readonly droppedMs: number;
  /** Address and port of the target. */
  readonly remote?: string;
}

/** A finding that becomes a record of the broadcast. */
export interface ForwardNotice {
  readonly what: 'refused' | 'lost' | 'behind';
  readonly observed: string;
}

/** The forward that a record is about. */
export interface NotedForward {
  readonly id: string;
  readonly name: string;
}

/** Bounds and checks of forwards that are added. */
export interface ForwardSettings {
  /** False: the operator has switched all forwards off. */
  readonly isOn: boolean;
  readonly perSubject: number;
  readonly perOwner: number;
  /** The key as it is stored. */
  seal(key: string): string;
  /** Why the target may not be added. */
  refusal(url: string): Promise<string | undefined>;
}

/** A process that ended leaves its last report for so long; one that runs reports twice in it. */
export const FORWARD_REPORT_MS = 2_000;
