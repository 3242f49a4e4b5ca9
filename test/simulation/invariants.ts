/** What must hold: at each change of a broadcast, and once everything is well again. */
import { isDeepStrictEqual } from 'node:util';
import type { RecordNotice } from '../../src/broadcasts/publisher/publisher.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import { advance, DELETED, isOver, type LifecycleInput } from '../../src/lifecycle/lifecycle.js';
import { DERIVED_ID, type JournalEntry, LEASE, type StoredObject, SYSTEM_EDGES } from '../../src/ports/index.js';
import type { StoredRecord } from '../../src/spec/error-record.js';
import type { WebhookEvent } from '../../src/webhook/outbox.js';
import type { Disk } from './files.js';
import type { StoreState } from './store-state.js';
import type { World } from './world.js';

/** A renewal, a look at the lease, and the time that a slow process may take for them. */
const GIVEN_UP_MS = 8_000;

const ALL = { limit: 10_000 } as const;

type Stated = Pick<LiveVideoData, 'status' | 'stream' | 'goLiveOnData' | 'publishFence'>;

const stated = ({ status, stream, goLiveOnData, publishFence }: LiveVideoData): Stated => ({
  status,
  stream,
  goLiveOnData,
  ...(publishFence === undefined ? {} : { publishFence }),
});

/** Each stored state of a broadcast follows from the one before by one input of the lifecycle, or is an edit. */
export class Explained {
  readonly broken: string[] = [];
  /** How often each was checked. */
  changes = 0;
  /** The process that last took a broadcast LIVE. */
  readonly wentLiveBy = new Map<string, string>();
  judgedCount = 0;
  /** The newest publish of each broadcast. */
  readonly #since = new Map<string, { readonly fence: number; readonly atMs: number }>();

  look(was: StoredObject | undefined, { id, kind, updatedMs, data }: StoredObject, by: string, world: World): void {
    if (was === undefined || kind !== 'live_video') return;
    const before = was.data as LiveVideoData;
    const after = data as LiveVideoData;
    if (isDeepStrictEqual(stated(before), stated(after))) return;
    this.changes += 1;
    if (after.status === 'LIVE' && before.status !== 'LIVE') this.wentLiveBy.set(id, by);
    world.say(`${by} moves ${id}: ${shown(before)} to ${shown(after)}`);
    const fence = after.publishFence ?? 0;
    if (fence < (before.publishFence ?? 0))
      this.broken.push(`${by} takes ${id} back from a later holder, fence ${before.publishFence}`);
    if (fence !== before.publishFence) this.#since.set(id, { fence, atMs: world.nowMs });
    const isReducers = inputsFor(before, after, updatedMs).some((input) => {
      const step = advance(before, input);
      return step !== undefined && isDeepStrictEqual(stated(step.state), stated(after));
    });
    if (!isReducers) this.broken.push(`no input leads ${id} from ${shown(before)} to ${shown(after)}`);
  }

  /** A process that can ask the store has given up a broadcast some time after another has received it. */
  judged(entries: readonly JournalEntry[], by: string, nowMs: number): void {
    for (const { broadcastId, fence } of entries) {
      const since = this.#since.get(broadcastId);
      this.judgedCount += 1;
      // Above it: records of one of two input streams.
      if (since !== undefined && fence < since.fence && nowMs - since.atMs > GIVEN_UP_MS)
        this.broken.push(
          `${by} still judges ${broadcastId} with fence ${fence}, and ${since.fence} is received elsewhere`,
        );
    }
  }
}

const shown = ({ status, stream, publishFence }: LiveVideoData): string => `${status} ${stream} ${publishFence ?? '-'}`;

function inputsFor(before: LiveVideoData, after: LiveVideoData, wallMs: number): LifecycleInput[] {
  const fence = after.publishFence;
  return [
    { type: 'publish', wallMs, ...(fence === undefined || fence === before.publishFence ? {} : { fence }) },
    { type: 'valid-data', wallMs },
    { type: 'connection-lost', wallMs, graceMs: 0 },
    { type: 'unpublish', wallMs, graceMs: 0 },
    { type: 'go-live', wallMs, dataFlows: true },
    { type: 'go-live', wallMs, dataFlows: false },
    { type: 'end', wallMs },
    { type: 'stop', wallMs, reason: DELETED },
    { type: 'deadline', wallMs, dataFlows: false },
    { type: 'processing-started', wallMs },
    { type: 'processing-done', wallMs },
  ];
}

/** A change of a record, which was in a journal on this disk then. */
interface Written {
  readonly disk: Disk;
  readonly atMs: number;
  /** The journal could not take it: the store alone has it. */
  readonly isRefused: boolean;
}

/** What encoders and receivers saw, and what journals said. */
export interface Seen {
  readonly pushed: (Written & { readonly liveVideoId: string; readonly notice: RecordNotice })[];
  readonly durable: (Written & { readonly entry: JournalEntry })[];
  readonly delivered: { readonly event: WebhookEvent; readonly atMs: number }[];
}

export interface AtEnd {
  readonly state: StoreState;
  readonly ids: readonly string[];
  readonly deleted: ReadonlySet<string>;
  readonly seen: Seen;
  readonly hasFailedOver: boolean;
  readonly isRecorded: boolean;
}

export function brokenAtEnd(end: AtEnd): string[] {
  const kept = end.ids.filter((id) => !end.deleted.has(id));
  return [
    ...kept.flatMap((id) => [
      ...unreadable(id, end),
      ...outOfOrder(id, end),
      ...leftOpen(id, end),
      ...undelivered(id, end),
      ...(end.isRecorded ? notMade(id, end) : []),
    ]),
    ...listed(end),
  ];
}

const recordsOf = ({ state }: AtEnd, id: string): readonly StoredRecord[] =>
  [...state.recordPage(id, ALL).records].reverse();

/** Its journal has it, or the store for good. */
const isKeptAt = ({ disk, atMs, isRefused }: Written, { hasFailedOver }: AtEnd): boolean =>
  !disk.mayHaveLost(atMs) && !(isRefused && hasFailedOver);

/**
 * A holder that stood still, or had no place on its disk, writes what it found after a later holder has written, and tells no
 * encoder: the later holder goes on from the state that it knew.
 */
function isDeposed({ entry, atMs }: Seen['durable'][number], durable: Seen['durable']): boolean {
  return durable.some(
    (later) => later.entry.broadcastId === entry.broadcastId && later.entry.fence > entry.fence && later.atMs < atMs,
  );
}

/** Every record that a journal has, or that an encoder was told, is readable, in its last state or a later one. A machine that lost power may have lost the newest of its journal. */
function unreadable(id: string, end: AtEnd): string[] {
  const records = new Map(recordsOf(end, id).map((record) => [record.id, record]));
  const isKept = (written: Written) => isKeptAt(written, end);
  const { durable, pushed } = end.seen;
  const told = [
    ...durable
      .filter((each) => each.entry.broadcastId === id && isKept(each) && !isDeposed(each, durable))
      .map(({ entry }) => entry.change.body),
    ...pushed.filter((each) => each.liveVideoId === id && isKept(each)).map(({ notice }) => notice.record),
  ];
  const broken = new Set<string>();
  for (const body of told) {
    const record = records.get(body.id);
    if (record === undefined) broken.add(`record ${body.error_code} ${body.id} was told and is not readable`);
    else if (record.count < body.count)
      broken.add(`record ${body.id} was counted ${body.count} times and reads ${record.count}`);
    else if (record.count === body.count && body.cleared_time_ms !== null && record.cleared_time_ms === null)
      broken.add(`record ${body.id} was cleared and reads open`);
  }
  return [...broken];
}

/** Sequences have no gap and no double; records of one holder are in the order in which they were raised. */
function outOfOrder(id: string, end: AtEnd): string[] {
  const records = recordsOf(end, id);
  const broken: string[] = [];
  if (records.some((record, index) => record.sequence !== index + 1))
    broken.push(`the records of ${id} are numbered ${records.map(({ sequence }) => sequence).join(' ')}`);
  const newest = new Map<string, number>();
  // A record whose raise was lost comes again with its next count.
  const isWhole = end.seen.durable.every((each) => each.entry.broadcastId !== id || isKeptAt(each, end));
  for (const record of isWhole ? records : []) {
    const [, fence = '', number = '0'] = record.id.split('_');
    const before = newest.get(fence) ?? 0;
    if (Number(number) <= before) broken.push(`record ${record.id} comes after ${id}_${fence}_${before}`);
    newest.set(fence, Number(number));
  }
  return [...broken, ...openTwice(end.state, id)];
}

/** Each fault of a broadcast has one open record at most. */
export function openTwice(state: StoreState, id: string): string[] {
  const { records } = state.recordPage(id, { ...ALL, open: true });
  const codes = records.map(
    ({ error_code, track = '', input_stream = '' }) => `${error_code} ${track} ${input_stream}`,
  );
  return new Set(codes).size < codes.length ? [`${id} has a fault open twice: ${codes.join(', ')}`] : [];
}

/** A broadcast is over after its encoder has gone, and leaves nothing open. */
function leftOpen(id: string, { state }: AtEnd): string[] {
  const live = state.get(id) as StoredObject<LiveVideoData> | undefined;
  if (live === undefined) return [`${id} is gone without a DELETE`];
  const { status, stream } = live.data;
  // One that never went LIVE waits for its encoder.
  if (status === 'UNPUBLISHED') return stream === 'waiting' ? [] : [`${id} is ${status}, ${stream} without an encoder`];
  const broken: string[] = [];
  if (!isOver(live.data)) broken.push(`${id} is still ${status}, ${stream}`);
  const open = state.recordPage(id, { ...ALL, open: true }).records;
  if (isOver(live.data) && open.length > 0)
    broken.push(
      `${id} is over with open records: ${open.map((record) => `${record.error_code} ${record.id}`).join(', ')}`,
    );
  if (state.holder(LEASE.publish(id)) !== undefined) broken.push(`the stream key of ${id} is still taken`);
  return broken;
}

/** The recording of a broadcast becomes a video, or its job waits for another try. */
function notMade(id: string, { state }: AtEnd): string[] {
  const live = state.get(id) as StoredObject<LiveVideoData> | undefined;
  if (live?.data.broadcastStartMs === undefined || live.data.status === 'VOD') return [];
  const job = state.edgeEntry(SYSTEM_EDGES.jobs, DERIVED_ID.job('recording', id));
  return job === undefined ? [`${id} is ${live.data.status}, and no job makes its video`] : [];
}

function listed({ state }: AtEnd): string[] {
  return [SYSTEM_EDGES.connected, SYSTEM_EDGES.deadlines, SYSTEM_EDGES.closing, SYSTEM_EDGES.webhookPending].flatMap(
    (edge) => {
      const members = state.page(edge, ALL).entries.map(({ member }) => member);
      return members.length === 0 ? [] : [`still listed in ${edge.edge}: ${members.join(' ')}`];
    },
  );
}

/** The receiver has heard of each record's last state, and of the last state of the broadcast; never of an older one first. */
function undelivered(id: string, end: AtEnd): string[] {
  const values = end.seen.delivered
    .filter(({ event }) => event.deliveryId.startsWith(`${id}-`))
    .map(({ event }) => event.deliveryId.slice(id.length + 1));
  const broken: string[] = [];
  const revisions = values.filter((name) => name.startsWith('e-')).map((name) => Number(name.slice(2)));
  // A store that lost its last writes gives their revisions again, to other changes.
  if (end.hasFailedOver) return [];
  const heard = new Set(revisions);
  for (const record of recordsOf(end, id))
    if (!heard.has(record.revision))
      broken.push(`the receiver never heard of ${record.id}, revision ${record.revision}`);
  const first = [...heard];
  if (first.some((revision, index) => index > 0 && revision < (first[index - 1] ?? 0)))
    broken.push(`the receiver first heard of the revisions of ${id} as ${first.join(' ')}`);
  return broken;
}
