/** State of the page, reduced from the messages of the live feed. Pure. */
import type { ErrorView } from '../../../spec/error-view.js';
import type { BroadcastView, Engaged, FeedMessage, HealthView, OwnerView } from '../../view/protocol.js';

export interface BroadcastState {
  readonly view: BroadcastView | undefined;
  /** By id: all open records, and the newest cleared ones up to `RECORDS_HELD`. */
  readonly records: ReadonlyMap<string, ErrorView>;
  /** The last revision received; a new subscription resumes from it. */
  readonly revision: number | undefined;
  readonly health: HealthView | undefined;
  /** How often each has changed: what shows them reads them again. */
  readonly engagement: Readonly<Record<Engaged, number>>;
}

export interface FeedState {
  readonly owners: readonly OwnerView[];
  readonly broadcasts: ReadonlyMap<string, BroadcastState>;
  readonly missing: ReadonlySet<string>;
  /** The token of this dock link opens the OBS profile of its broadcast. */
  readonly maySetUpEncoder: boolean;
  /** The token of this dock link puts the input streams of its broadcast on air. */
  readonly mayPutOnAir: boolean;
  /** The initial state is complete. */
  readonly synced: boolean;
}

export const EMPTY_FEED: FeedState = {
  owners: [],
  broadcasts: new Map(),
  missing: new Set(),
  maySetUpEncoder: false,
  mayPutOnAir: false,
  synced: false,
};

export const EMPTY_BROADCAST: BroadcastState = {
  view: undefined,
  records: new Map(),
  revision: undefined,
  health: undefined,
  engagement: { comments: 0, reactions: 0, polls: 0, forwards: 0 },
};

/** Older records are read over HTTP. */
const RECORDS_HELD = 300;
/** Entries that the feed accepts in `after_revision`. */
const RESUMED_MAX = 200;

export function isOpen(record: ErrorView): boolean {
  return record.cleared_time === undefined;
}

export function advanceFeed(state: FeedState, message: FeedMessage): FeedState {
  switch (message.type) {
    case 'ready':
      return {
        ...state,
        owners: message.owners,
        missing: new Set(),
        broadcasts: afterGap(state.broadcasts),
        maySetUpEncoder: message.encoder_setup === true,
        mayPutOnAir: message.put_on_air === true,
      };
    case 'synced':
      return state.synced ? state : { ...state, synced: true };
    case 'broadcast':
      return change(state, message.broadcast.id, (held) =>
        held.view !== undefined && held.view.version > message.broadcast.version
          ? held
          : { ...held, view: message.broadcast },
      );
    case 'records':
      return change(state, message.broadcast_id, (held) => ({
        ...held,
        records: withRecords(message.snapshot ? new Map() : held.records, message.records),
        revision: message.revision,
      }));
    case 'health':
      return change(state, message.broadcast_id, (held) => ({ ...held, health: message.health ?? lastOf(held) }));
    case 'engagement':
      return change(state, message.broadcast_id, (held) => engaged(held, message.changed));
    case 'missing': {
      const broadcasts = new Map(state.broadcasts);
      broadcasts.delete(message.broadcast_id);
      return { ...state, broadcasts, missing: new Set([...state.missing, message.broadcast_id]) };
    }
    case 'heartbeat':
      return state;
  }
}

/** The last values stay while the encoder is away. */
function lastOf({ health }: BroadcastState): HealthView | undefined {
  return health === undefined || !health.connected ? health : { ...health, connected: false };
}

const ENGAGED: readonly Engaged[] = ['comments', 'reactions', 'polls', 'forwards'];

/** The feed does not repeat what was said while it was disconnected. */
function afterGap(broadcasts: FeedState['broadcasts']): FeedState['broadcasts'] {
  return new Map([...broadcasts].map(([id, held]) => [id, engaged(held, ENGAGED)]));
}

function engaged(held: BroadcastState, changed: readonly Engaged[]): BroadcastState {
  const counted = changed.map((each) => [each, held.engagement[each] + 1] as const);
  return { ...held, engagement: { ...held.engagement, ...Object.fromEntries(counted) } };
}

function change(state: FeedState, id: string, to: (held: BroadcastState) => BroadcastState): FeedState {
  const held = state.broadcasts.get(id) ?? EMPTY_BROADCAST;
  const next = to(held);
  return next === held ? state : { ...state, broadcasts: new Map(state.broadcasts).set(id, next) };
}

/** The newer revision of a record wins. */
function withRecords(
  held: ReadonlyMap<string, ErrorView>,
  added: readonly ErrorView[],
): ReadonlyMap<string, ErrorView> {
  const records = new Map(held);
  for (const record of added) {
    const former = records.get(record.id);
    if (former === undefined || former.revision <= record.revision) records.set(record.id, record);
  }
  if (records.size <= RECORDS_HELD) return records;
  const closed = [...records.values()].filter((record) => !isOpen(record)).sort((a, b) => a.sequence - b.sequence);
  for (const record of closed.slice(0, records.size - RECORDS_HELD)) records.delete(record.id);
  return records;
}

/** Newest first. */
export function openRecords(broadcast: BroadcastState | undefined): readonly ErrorView[] {
  return [...(broadcast?.records.values() ?? [])].filter(isOpen).sort((a, b) => b.sequence - a.sequence);
}

/** For `after_revision`: the newest broadcasts, which are the most likely to have changed. */
export function revisionsSeen(state: FeedState): Readonly<Record<string, number>> {
  const seen = [...state.broadcasts].flatMap(([id, { revision }]): [string, number][] =>
    revision === undefined ? [] : [[id, revision]],
  );
  return Object.fromEntries(seen.sort(([a], [b]) => Number(b) - Number(a)).slice(0, RESUMED_MAX));
}
