/**
 * The life of a broadcast (DESIGN section 5) as a table: `(state, input) → state and effects`.
 * Time comes in with each input. What a move means for sockets, stores and recordings is carried out by the shell from the effects.
 */
import type { BroadcastStatus, EndReason, LiveVideoData } from './documents.js';

export type LifecycleInput =
  /** A publish was accepted; no media yet. */
  | { readonly type: 'publish'; readonly atMs: number }
  /** Both or one parsed sequence header and one coded frame have arrived. */
  | { readonly type: 'valid-data'; readonly atMs: number }
  /** The connection went without an unpublish. */
  | { readonly type: 'connection-lost'; readonly atMs: number; readonly graceMs: number }
  /** FCUnpublish, deleteStream or closeStream. */
  | { readonly type: 'unpublish'; readonly atMs: number; readonly graceMs: number }
  | { readonly type: 'go-live'; readonly atMs: number; readonly dataFlows: boolean }
  | { readonly type: 'schedule'; readonly atMs: number; readonly plannedStartMs: number }
  | { readonly type: 'scheduled-live'; readonly atMs: number }
  | { readonly type: 'cancel'; readonly atMs: number }
  | { readonly type: 'end'; readonly atMs: number }
  /** The 8 hours, a copyright stop, strict enforcement. */
  | { readonly type: 'stop'; readonly atMs: number; readonly reason: EndReason }
  /** A deadline set by an earlier effect has passed. */
  | { readonly type: 'deadline'; readonly atMs: number; readonly dataFlows: boolean }
  | { readonly type: 'processing-started'; readonly atMs: number }
  | { readonly type: 'processing-done'; readonly atMs: number };

export type LifecycleEffect =
  /** LIVE began: the judge takes its first settings, the recorder starts. */
  | { readonly effect: 'went-live' }
  /** The broadcast is over: the recording is closed and processed. */
  | { readonly effect: 'ended' }
  /** The encoder is told and its connection closed. */
  | { readonly effect: 'close-publisher'; readonly reason: EndReason | undefined }
  /** Wake this broadcast with `deadline` at that time; undefined takes an earlier one back. */
  | { readonly effect: 'deadline'; readonly atMs: number | undefined };

export interface LifecycleStep {
  readonly state: LiveVideoData;
  readonly effects: readonly LifecycleEffect[];
}

/** How long a scheduled broadcast waits for its stream before it expires. */
export const SCHEDULE_WAIT_MS = 3_600_000;

const ENDED: readonly BroadcastStatus[] = [
  'LIVE_STOPPED',
  'PROCESSING',
  'VOD',
  'SCHEDULED_EXPIRED',
  'SCHEDULED_CANCELED',
];

/** True once nothing can be published to it any more. */
export function isOver(status: BroadcastStatus): boolean {
  return ENDED.includes(status);
}

/** True when the next valid data makes it LIVE, so that privacy and eligibility must hold before a publish is accepted. */
export function goesLiveOnPublish(state: LiveVideoData): boolean {
  return (state.status === 'UNPUBLISHED' && state.goLiveOnData) || state.status === 'SCHEDULED_LIVE';
}

type Move<Type extends LifecycleInput['type']> = (
  state: LiveVideoData,
  input: Extract<LifecycleInput, { type: Type }>,
) => LifecycleStep | undefined;

type Table = { readonly [Type in LifecycleInput['type']]: Partial<Record<BroadcastStatus, Move<Type>>> };

const stay = (state: LiveVideoData, ...effects: LifecycleEffect[]): LifecycleStep => ({ state, effects });

const connected = (state: LiveVideoData, atMs: number): LiveVideoData => ({
  ...state,
  stream: 'connected',
  streamSinceMs: atMs,
});

const waiting = (state: LiveVideoData, atMs: number): LiveVideoData => ({
  ...state,
  stream: 'waiting',
  streamSinceMs: atMs,
});

function live(state: LiveVideoData, atMs: number): LifecycleStep {
  return stay(
    { ...state, status: 'LIVE', goLiveOnData: false, stream: 'connected', broadcastStartMs: atMs },
    { effect: 'deadline', atMs: undefined },
    { effect: 'went-live' },
  );
}

function over(state: LiveVideoData, atMs: number, reason?: EndReason): LifecycleStep {
  return stay(
    {
      ...state,
      status: 'LIVE_STOPPED',
      stream: 'ended',
      streamSinceMs: atMs,
      endedMs: atMs,
      ...(reason ? { endReason: reason } : {}),
    },
    { effect: 'deadline', atMs: undefined },
    { effect: 'close-publisher', reason },
    { effect: 'ended' },
  );
}

/** An end before LIVE leaves nothing to process; the live video stays readable with the reason. */
function overUnpublished(state: LiveVideoData, atMs: number, reason: EndReason): LifecycleStep {
  return stay(
    {
      ...state,
      status: 'LIVE_STOPPED',
      goLiveOnData: false,
      stream: 'ended',
      streamSinceMs: atMs,
      endedMs: atMs,
      endReason: reason,
    },
    { effect: 'deadline', atMs: undefined },
    { effect: 'close-publisher', reason },
  );
}

function interrupted(state: LiveVideoData, atMs: number, graceMs: number): LifecycleStep {
  return stay({ ...state, stream: 'interrupted', streamSinceMs: atMs }, { effect: 'deadline', atMs: atMs + graceMs });
}

const toPublish: Move<'publish'> = (state, { atMs }) => stay(connected(state, atMs));
const backToWaiting: Move<'connection-lost'> & Move<'unpublish'> = (state: LiveVideoData, input: { atMs: number }) =>
  stay(waiting(state, input.atMs));

const goLive: Move<'go-live'> = (state, { atMs, dataFlows }) =>
  state.stream === 'connected' && dataFlows
    ? live(state, atMs)
    : stay({ ...state, status: 'UNPUBLISHED', goLiveOnData: true }, { effect: 'deadline', atMs: undefined });

const schedule: Move<'schedule'> = (state, { plannedStartMs }) =>
  stay(
    { ...state, status: 'SCHEDULED_UNPUBLISHED', goLiveOnData: false, plannedStartMs },
    { effect: 'deadline', atMs: plannedStartMs },
  );

const scheduledLive: Move<'scheduled-live'> = (state, { atMs }) =>
  stay(
    { ...state, status: 'SCHEDULED_LIVE' },
    { effect: 'deadline', atMs: Math.max(atMs, state.plannedStartMs ?? atMs) + SCHEDULE_WAIT_MS },
  );

const cancel: Move<'cancel'> = (state, { atMs }) =>
  stay(
    { ...state, status: 'SCHEDULED_CANCELED', stream: 'ended', streamSinceMs: atMs, endedMs: atMs },
    { effect: 'deadline', atMs: undefined },
    { effect: 'close-publisher', reason: undefined },
  );

const stopUnpublished: Move<'stop'> = (state, { atMs, reason }) => overUnpublished(state, atMs, reason);

/** Rows: inputs; columns: statuses. What is absent is a move that does not exist. */
const TABLE: Table = {
  publish: {
    UNPUBLISHED: toPublish,
    LIVE: (state, { atMs }) => stay(connected(state, atMs), { effect: 'deadline', atMs: undefined }),
    SCHEDULED_UNPUBLISHED: toPublish,
    SCHEDULED_LIVE: toPublish,
  },
  'valid-data': {
    UNPUBLISHED: (state, { atMs }) => (state.goLiveOnData ? live(state, atMs) : stay(state)),
    LIVE: (state) => stay(state),
    SCHEDULED_UNPUBLISHED: (state) => stay(state),
    SCHEDULED_LIVE: (state, { atMs }) => live(state, atMs),
  },
  'connection-lost': {
    UNPUBLISHED: backToWaiting,
    LIVE: (state, { atMs, graceMs }) => interrupted(state, atMs, graceMs),
    SCHEDULED_UNPUBLISHED: backToWaiting,
    SCHEDULED_LIVE: backToWaiting,
  },
  unpublish: {
    UNPUBLISHED: backToWaiting,
    LIVE: (state, { atMs, graceMs }) =>
      state.stopOnDeleteStream ? over(state, atMs) : interrupted(state, atMs, graceMs),
    SCHEDULED_UNPUBLISHED: backToWaiting,
    SCHEDULED_LIVE: backToWaiting,
  },
  'go-live': {
    UNPUBLISHED: goLive,
    SCHEDULED_UNPUBLISHED: goLive,
    SCHEDULED_LIVE: goLive,
    LIVE: (state) => stay(state),
  },
  schedule: { UNPUBLISHED: schedule, SCHEDULED_UNPUBLISHED: schedule },
  'scheduled-live': { SCHEDULED_UNPUBLISHED: scheduledLive },
  cancel: { SCHEDULED_UNPUBLISHED: cancel, SCHEDULED_LIVE: cancel },
  end: { LIVE: (state, { atMs }) => over(state, atMs) },
  stop: {
    LIVE: (state, { atMs, reason }) => over(state, atMs, reason),
    UNPUBLISHED: stopUnpublished,
    SCHEDULED_UNPUBLISHED: stopUnpublished,
    SCHEDULED_LIVE: stopUnpublished,
  },
  deadline: {
    LIVE: (state, { atMs }) => (state.stream === 'interrupted' ? over(state, atMs) : stay(state)),
    SCHEDULED_UNPUBLISHED: (state, input) => {
      if (state.isManualMode) return stay(state);
      const next = scheduledLive(state, { type: 'scheduled-live', atMs: input.atMs });
      return next && input.dataFlows && state.stream === 'connected' ? live(next.state, input.atMs) : next;
    },
    SCHEDULED_LIVE: (state, { atMs, dataFlows }) =>
      state.stream === 'connected' && dataFlows
        ? live(state, atMs)
        : stay(
            { ...state, status: 'SCHEDULED_EXPIRED', stream: 'ended', streamSinceMs: atMs, endedMs: atMs },
            { effect: 'deadline', atMs: undefined },
            { effect: 'close-publisher', reason: undefined },
          ),
  },
  'processing-started': { LIVE_STOPPED: (state) => stay({ ...state, status: 'PROCESSING' }) },
  'processing-done': {
    LIVE_STOPPED: (state) => stay({ ...state, status: 'VOD' }),
    PROCESSING: (state) => stay({ ...state, status: 'VOD' }),
  },
};

/** The next state with its effects, or undefined when the table has no such move. */
export function advance(state: LiveVideoData, input: LifecycleInput): LifecycleStep | undefined {
  // The row of `input.type` takes exactly this input; TypeScript cannot follow the correlation through the index.
  const row = TABLE[input.type] as Partial<
    Record<BroadcastStatus, (s: LiveVideoData, i: LifecycleInput) => LifecycleStep | undefined>
  >;
  return row[state.status]?.(state, input);
}

/** Every move of the table, for the documentation and its test. */
export function moves(): readonly { readonly input: LifecycleInput['type']; readonly from: BroadcastStatus }[] {
  return (Object.keys(TABLE) as LifecycleInput['type'][]).flatMap((input) =>
    (Object.keys(TABLE[input]) as BroadcastStatus[]).map((from) => ({ input, from })),
  );
}
