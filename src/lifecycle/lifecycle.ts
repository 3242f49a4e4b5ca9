/**
 * Lifecycle of a broadcast as a transition table (docs/lifecycle.md): `(state, input) → state and effects`. Pure: each
 * input carries its time, and the caller applies the effects to sockets, stores and recordings.
 */
import { defined } from '../lib/objects.js';
import type { BroadcastStatus, EndReason, LiveVideoData } from './documents.js';
import type { EncoderSetup } from './encoder-setup.js';

/** The stream stopped. `wallMs`: when that was noticed; the grace period runs from here. */
interface StreamStopped {
  readonly wallMs: number;
  readonly graceMs: number;
  /** When the last packet arrived; the clock of the broadcast stops there. Absent: at `wallMs`. */
  readonly lastMs?: number;
}

export type LifecycleInput =
  /** A publish was accepted; there is no media yet. */
  | {
      readonly type: 'publish';
      readonly wallMs: number;
      readonly setup?: EncoderSetup | undefined;
      /** Fence of the lease with which the stream is received. */
      readonly fence?: number;
    }
  /** At least one track has a parsed sequence header followed by a coded frame. */
  | { readonly type: 'valid-data'; readonly wallMs: number }
  /** The connection closed without an unpublish. */
  | ({ readonly type: 'connection-lost' } & StreamStopped)
  /** FCUnpublish, deleteStream or closeStream. */
  | ({ readonly type: 'unpublish' } & StreamStopped)
  | { readonly type: 'go-live'; readonly wallMs: number; readonly dataFlows: boolean }
  | { readonly type: 'schedule'; readonly wallMs: number; readonly plannedStartMs: number }
  | { readonly type: 'scheduled-live'; readonly wallMs: number }
  | { readonly type: 'cancel'; readonly wallMs: number }
  /** `lastMs`: when the last packet arrived, of an encoder that is connected and silent. */
  | { readonly type: 'end'; readonly wallMs: number; readonly lastMs?: number }
  /** The 8-hour limit, a copyright stop or strict enforcement. */
  | { readonly type: 'stop'; readonly wallMs: number; readonly reason: EndReason }
  /** A deadline set by an earlier effect has passed. */
  | { readonly type: 'deadline'; readonly wallMs: number; readonly dataFlows: boolean }
  | { readonly type: 'processing-started'; readonly wallMs: number }
  | { readonly type: 'processing-done'; readonly wallMs: number };

export type LifecycleEffect =
  /** The status is now LIVE: the judge takes the first settings and the recorder starts. */
  | { readonly effect: 'went-live' }
  /** The broadcast is over: the recording is closed and processed. */
  | { readonly effect: 'ended' }
  /** Sends the encoder the reason and closes its connection. Without a reason the owner ended it, or its encoder did. */
  | { readonly effect: 'close-publisher'; readonly reason: EndReason | undefined }
  /** Schedules the `deadline` input at this time; undefined cancels it. */
  | { readonly effect: 'deadline'; readonly wallMs: number | undefined };

export interface LifecycleStep {
  readonly state: LiveVideoData;
  readonly effects: readonly LifecycleEffect[];
}

export const DELETED: EndReason = { code: 0, type: 'DELETED', text: 'The live video was deleted.' };

/** Told to an encoder that is connected and sends nothing. */
export const EXPIRED: EndReason = {
  code: 0,
  type: 'SCHEDULED_EXPIRED',
  text: 'The scheduled broadcast has expired: no stream came within an hour of its start.',
};

/** How long a scheduled broadcast waits for its stream before it expires. */
export const SCHEDULE_WAIT_MS = 3_600_000;

const ENDED: readonly BroadcastStatus[] = [
  'LIVE_STOPPED',
  'PROCESSING',
  'VOD',
  'SCHEDULED_EXPIRED',
  'SCHEDULED_CANCELED',
];

/** True once the broadcast accepts no more publishes. */
export function isOver({ status }: Pick<LiveVideoData, 'status'>): boolean {
  return ENDED.includes(status);
}

/** True when the next valid data makes it LIVE: privacy and eligibility must then be checked before a publish is accepted. */
export function goesLiveOnPublish(state: LiveVideoData): boolean {
  return (state.status === 'UNPUBLISHED' && state.goLiveOnData) || state.status === 'SCHEDULED_LIVE';
}

type Move<Type extends LifecycleInput['type']> = (
  state: LiveVideoData,
  input: Extract<LifecycleInput, { type: Type }>,
) => LifecycleStep | undefined;

type Table = { readonly [Type in LifecycleInput['type']]: Partial<Record<BroadcastStatus, Move<Type>>> };

const stay = (state: LiveVideoData, ...effects: LifecycleEffect[]): LifecycleStep => ({ state, effects });

const connected = (state: LiveVideoData, wallMs: number): LiveVideoData => ({
  ...state,
  stream: 'connected',
  streamSinceMs: wallMs,
});

/** Records whether the encoder was set up by the server; nothing for a broadcast whose encoders never were. */
function published(
  state: LiveVideoData,
  { wallMs, setup, fence }: Extract<LifecycleInput, { type: 'publish' }>,
): LiveVideoData {
  // A new publish ends a change of settings, whichever it uses, and continues what was stopped.
  const { retune: _, isStopped: __, ...rest } = state;
  const next = { ...connected(rest, wallMs), ...defined({ publishFence: fence }) };
  if (setup !== undefined) return { ...next, encoderSetup: setup, isSetUp: true };
  return state.encoderSetup === undefined ? next : { ...next, isSetUp: false };
}

const waiting = (state: LiveVideoData, wallMs: number): LiveVideoData => ({
  ...state,
  stream: 'waiting',
  streamSinceMs: wallMs,
});

function live(state: LiveVideoData, wallMs: number): LifecycleStep {
  return stay(
    { ...state, status: 'LIVE', goLiveOnData: false, stream: 'connected', broadcastStartMs: wallMs },
    { effect: 'deadline', wallMs: undefined },
    { effect: 'went-live' },
  );
}

/** `endedMs`: earlier than `wallMs` when the stream stopped before the broadcast was closed. */
function over(state: LiveVideoData, wallMs: number, reason?: EndReason, endedMs = wallMs): LifecycleStep {
  return stay(
    {
      ...state,
      status: 'LIVE_STOPPED',
      stream: 'ended',
      streamSinceMs: wallMs,
      endedMs,
      ...(reason ? { endReason: reason } : {}),
    },
    { effect: 'deadline', wallMs: undefined },
    { effect: 'close-publisher', reason },
    { effect: 'ended' },
  );
}

/** When the stream of a LIVE broadcast stopped: now, or at the interruption that has not ended. */
function stoppedMs(state: LiveVideoData, wallMs: number): number {
  return state.stream === 'interrupted' ? (state.streamSinceMs ?? wallMs) : wallMs;
}

/** A stop before LIVE: there is no recording to process, and the live video keeps the reason. */
function overUnpublished(state: LiveVideoData, wallMs: number, reason: EndReason): LifecycleStep {
  return stay(
    {
      ...state,
      status: 'LIVE_STOPPED',
      goLiveOnData: false,
      stream: 'ended',
      streamSinceMs: wallMs,
      endedMs: wallMs,
      endReason: reason,
    },
    { effect: 'deadline', wallMs: undefined },
    { effect: 'close-publisher', reason },
  );
}

/** Neither before the status became LIVE nor, if the wall clock was set back, in the future. */
function lastPacketMs(
  { broadcastStartMs = 0 }: LiveVideoData,
  { wallMs, lastMs = wallMs }: Pick<StreamStopped, 'wallMs' | 'lastMs'>,
): number {
  return Math.min(wallMs, Math.max(lastMs, broadcastStartMs));
}

function interrupted(state: LiveVideoData, stopped: StreamStopped): LifecycleStep {
  const { wallMs, graceMs } = stopped;
  return stay(
    { ...state, stream: 'interrupted', streamSinceMs: lastPacketMs(state, stopped) },
    { effect: 'deadline', wallMs: wallMs + graceMs },
  );
}

const toPublish: Move<'publish'> = (state, input) => stay(published(state, input));
const backToWaiting: Move<'connection-lost'> & Move<'unpublish'> = (state: LiveVideoData, input: { wallMs: number }) =>
  stay(waiting(state, input.wallMs));

const goLive: Move<'go-live'> = (state, { wallMs, dataFlows }) =>
  state.stream === 'connected' && dataFlows
    ? live(state, wallMs)
    : stay({ ...state, status: 'UNPUBLISHED', goLiveOnData: true }, { effect: 'deadline', wallMs: undefined });

const schedule: Move<'schedule'> = (state, { plannedStartMs }) =>
  stay(
    { ...state, status: 'SCHEDULED_UNPUBLISHED', goLiveOnData: false, plannedStartMs },
    { effect: 'deadline', wallMs: plannedStartMs },
  );

const scheduledLive: Move<'scheduled-live'> = (state, { wallMs }) =>
  stay(
    { ...state, status: 'SCHEDULED_LIVE' },
    { effect: 'deadline', wallMs: Math.max(wallMs, state.plannedStartMs ?? wallMs) + SCHEDULE_WAIT_MS },
  );

const cancel: Move<'cancel'> = (state, { wallMs }) =>
  stay(
    { ...state, status: 'SCHEDULED_CANCELED', stream: 'ended', streamSinceMs: wallMs, endedMs: wallMs },
    { effect: 'deadline', wallMs: undefined },
    { effect: 'close-publisher', reason: undefined },
  );

const stopUnpublished: Move<'stop'> = (state, { wallMs, reason }) => overUnpublished(state, wallMs, reason);

/** Transitions by input and status. Absent transitions are rejected. */
export const LIFECYCLE_TABLE: Table = {
  publish: {
    UNPUBLISHED: toPublish,
    LIVE: (state, input) => stay(published(state, input), { effect: 'deadline', wallMs: undefined }),
    SCHEDULED_UNPUBLISHED: toPublish,
    SCHEDULED_LIVE: toPublish,
  },
  'valid-data': {
    UNPUBLISHED: (state, { wallMs }) => (state.goLiveOnData ? live(state, wallMs) : stay(state)),
    LIVE: (state) => stay(state),
    SCHEDULED_UNPUBLISHED: (state) => stay(state),
    SCHEDULED_LIVE: (state, { wallMs }) => live(state, wallMs),
  },
  'connection-lost': {
    UNPUBLISHED: backToWaiting,
    LIVE: (state, stopped) => interrupted(state, stopped),
    SCHEDULED_UNPUBLISHED: backToWaiting,
    SCHEDULED_LIVE: backToWaiting,
  },
  unpublish: {
    UNPUBLISHED: backToWaiting,
    LIVE: (state, stopped) =>
      state.stopOnDeleteStream
        ? over({ ...state, isStopped: true }, stopped.wallMs, undefined, lastPacketMs(state, stopped))
        : interrupted({ ...state, isStopped: true }, stopped),
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
  end: {
    LIVE: (state, input) =>
      over(state, input.wallMs, undefined, Math.min(stoppedMs(state, input.wallMs), lastPacketMs(state, input))),
  },
  stop: {
    LIVE: (state, { wallMs, reason }) => over(state, wallMs, reason, stoppedMs(state, wallMs)),
    UNPUBLISHED: stopUnpublished,
    SCHEDULED_UNPUBLISHED: stopUnpublished,
    SCHEDULED_LIVE: stopUnpublished,
  },
  deadline: {
    // The grace period is no part of the broadcast: it ended when the encoder stopped.
    LIVE: (state, { wallMs }) =>
      state.stream === 'interrupted' ? over(state, wallMs, undefined, stoppedMs(state, wallMs)) : stay(state),
    SCHEDULED_UNPUBLISHED: (state, input) => {
      if (state.isManualMode) return stay(state);
      const next = scheduledLive(state, { type: 'scheduled-live', wallMs: input.wallMs });
      return next && input.dataFlows && state.stream === 'connected' ? live(next.state, input.wallMs) : next;
    },
    SCHEDULED_LIVE: (state, { wallMs, dataFlows }) =>
      state.stream === 'connected' && dataFlows
        ? live(state, wallMs)
        : stay(
            { ...state, status: 'SCHEDULED_EXPIRED', stream: 'ended', streamSinceMs: wallMs, endedMs: wallMs },
            { effect: 'deadline', wallMs: undefined },
            { effect: 'close-publisher', reason: EXPIRED },
          ),
  },
  'processing-started': { LIVE_STOPPED: (state) => stay({ ...state, status: 'PROCESSING' }) },
  'processing-done': {
    LIVE_STOPPED: (state) => stay({ ...state, status: 'VOD' }),
    PROCESSING: (state) => stay({ ...state, status: 'VOD' }),
  },
};

/** The next state with its effects, or undefined when the table has no such transition. */
export function advance(state: LiveVideoData, input: LifecycleInput): LifecycleStep | undefined {
  // The row of `input.type` accepts exactly this input; TypeScript cannot correlate the two through the index.
  const row = LIFECYCLE_TABLE[input.type] as Partial<
    Record<BroadcastStatus, (s: LiveVideoData, i: LifecycleInput) => LifecycleStep | undefined>
  >;
  return row[state.status]?.(state, input);
}
