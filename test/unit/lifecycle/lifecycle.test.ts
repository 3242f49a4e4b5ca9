import type { BroadcastStatus, LiveVideoData } from '../../../src/lifecycle/documents.js';
import {
  advance,
  goesLiveOnPublish,
  isOver,
  type LifecycleInput,
  SCHEDULE_WAIT_MS,
} from '../../../src/lifecycle/lifecycle.js';
import { moves } from '../../support/lifecycle-document.js';

const GRACE = 60_000;
const base: LiveVideoData = {
  ownerId: '1',
  ownerKind: 'page',
  videoId: '2',
  status: 'UNPUBLISHED',
  goLiveOnData: true,
  keyVersion: 1,
  stopOnDeleteStream: false,
  stream: 'waiting',
};

/** Applies inputs in order; throws on a transition that the table does not have. */
function walk(start: LiveVideoData, ...inputs: LifecycleInput[]) {
  return inputs.reduce(
    (at, input) => {
      const step = advance(at.state, input);
      if (step === undefined) throw new Error(`no transition ${input.type} from ${at.state.status}`);
      return { state: step.state, effects: step.effects };
    },
    { state: start, effects: [] as readonly unknown[] },
  );
}

describe('a broadcast that goes live with its data', () => {
  const live = walk(base, { type: 'publish', wallMs: 10 }, { type: 'valid-data', wallMs: 20 });

  test('becomes LIVE with the first valid data, not with the publish', () => {
    expect(walk(base, { type: 'publish', wallMs: 10 }).state).toMatchObject({
      status: 'UNPUBLISHED',
      stream: 'connected',
    });
    expect(live.state).toMatchObject({
      status: 'LIVE',
      stream: 'connected',
      broadcastStartMs: 20,
      goLiveOnData: false,
    });
    expect(live.effects).toContainEqual({ effect: 'went-live' });
  });

  test('keeps its start when the encoder returns within the grace period and ends after it', () => {
    const lost = walk(live.state, { type: 'connection-lost', wallMs: 1000, graceMs: GRACE });
    expect(lost.state).toMatchObject({ status: 'LIVE', stream: 'interrupted' });
    expect(lost.effects).toContainEqual({ effect: 'deadline', wallMs: 1000 + GRACE });
    const back = walk(lost.state, { type: 'publish', wallMs: 2000 });
    expect(back.state).toMatchObject({ status: 'LIVE', stream: 'connected', broadcastStartMs: 20 });
    expect(back.effects).toContainEqual({ effect: 'deadline', wallMs: undefined });
    const over = walk(lost.state, { type: 'deadline', wallMs: 1000 + GRACE, dataFlows: false });
    expect(over.state).toMatchObject({ status: 'LIVE_STOPPED', stream: 'ended' });
    expect(over.effects).toContainEqual({ effect: 'ended' });
  });

  test('ends where its stream stopped: the grace period is no part of it', () => {
    const stopped = walk(live.state, { type: 'unpublish', wallMs: 1000, graceMs: GRACE }).state;
    const reason = { code: 6503, type: 'COPYRIGHT_VIOLATION', text: 'stopped' };
    for (const input of [
      { type: 'deadline', wallMs: 1000 + GRACE, dataFlows: false },
      { type: 'end', wallMs: 5000 },
      { type: 'stop', wallMs: 5000, reason },
    ] as const) {
      expect(walk(stopped, input).state).toMatchObject({ status: 'LIVE_STOPPED', endedMs: 1000 });
    }
    const back = walk(stopped, { type: 'publish', wallMs: 3000 }).state;
    expect(walk(back, { type: 'end', wallMs: 5000 }).state.endedMs).toBe(5000);
    expect(walk(back, { type: 'end', wallMs: 5000, lastMs: 4000 }).state.endedMs).toBe(4000);
    expect(walk(stopped, { type: 'end', wallMs: 5000, lastMs: 4000 }).state.endedMs).toBe(1000);
  });

  test('ignores a stale deadline after the encoder has returned', () => {
    expect(walk(live.state, { type: 'deadline', wallMs: 99, dataFlows: true }).state.status).toBe('LIVE');
  });

  test('notes that the encoder stopped by itself, until it publishes again', () => {
    const stopped = walk(live.state, { type: 'unpublish', wallMs: 30, graceMs: GRACE }).state;
    expect(stopped.isStopped).toBe(true);
    expect(walk(stopped, { type: 'publish', wallMs: 40 }).state.isStopped).toBeUndefined();
    expect(walk(stopped, { type: 'deadline', wallMs: 60_030, dataFlows: false }).state).toMatchObject({
      status: 'LIVE_STOPPED',
      isStopped: true,
    });
    expect(walk(live.state, { type: 'connection-lost', wallMs: 30, graceMs: GRACE }).state.isStopped).toBeUndefined();
  });

  test('is interrupted by an unpublish, or ended with stop_on_delete_stream', () => {
    expect(walk(live.state, { type: 'unpublish', wallMs: 30, graceMs: GRACE }).state.stream).toBe('interrupted');
    const stopping = { ...live.state, stopOnDeleteStream: true };
    expect(walk(stopping, { type: 'unpublish', wallMs: 30, graceMs: GRACE }).state.status).toBe('LIVE_STOPPED');
  });

  test('keeps the reason of a stop and sends it to the encoder', () => {
    const reason = { code: 6501, type: 'DURATION_EXCEEDED', text: 'over' };
    const stopped = walk(live.state, { type: 'stop', wallMs: 40, reason });
    expect(stopped.state).toMatchObject({ status: 'LIVE_STOPPED', endReason: reason, endedMs: 40 });
    expect(stopped.effects).toContainEqual({ effect: 'close-publisher', reason });
  });

  test('accepts only the transitions to PROCESSING and VOD after its end', () => {
    const over = walk(live.state, { type: 'end', wallMs: 50 });
    const vod = walk(over.state, { type: 'processing-started', wallMs: 60 }, { type: 'processing-done', wallMs: 70 });
    expect(vod.state.status).toBe('VOD');
    for (const type of ['publish', 'go-live', 'end', 'deadline'] as const) {
      expect(advance(vod.state, { type, wallMs: 1, graceMs: 1, dataFlows: true } as LifecycleInput)).toBeUndefined();
    }
  });
});

describe('a preview', () => {
  const preview = { ...base, goLiveOnData: false };

  test('stays UNPUBLISHED while data flows and returns to waiting', () => {
    const flowing = walk(preview, { type: 'publish', wallMs: 1 }, { type: 'valid-data', wallMs: 2 });
    expect(flowing.state).toMatchObject({ status: 'UNPUBLISHED', stream: 'connected' });
    expect(walk(flowing.state, { type: 'unpublish', wallMs: 3, graceMs: GRACE }).state.stream).toBe('waiting');
    expect(walk(flowing.state, { type: 'connection-lost', wallMs: 3, graceMs: GRACE }).state.stream).toBe('waiting');
  });

  test('goes LIVE at LIVE_NOW while data flows, else with the first data', () => {
    const flowing = walk(preview, { type: 'publish', wallMs: 1 }, { type: 'valid-data', wallMs: 2 }).state;
    expect(walk(flowing, { type: 'go-live', wallMs: 3, dataFlows: true }).state).toMatchObject({
      status: 'LIVE',
      broadcastStartMs: 3,
    });
    expect(walk(preview, { type: 'go-live', wallMs: 3, dataFlows: false }).state).toMatchObject({
      status: 'UNPUBLISHED',
      goLiveOnData: true,
    });
  });
});

describe('a scheduled broadcast', () => {
  const scheduled = walk({ ...base, goLiveOnData: false }, { type: 'schedule', wallMs: 1, plannedStartMs: 5000 });

  test('becomes SCHEDULED_LIVE at its planned start', () => {
    expect(scheduled.state).toMatchObject({ status: 'SCHEDULED_UNPUBLISHED', plannedStartMs: 5000 });
    expect(scheduled.effects).toContainEqual({ effect: 'deadline', wallMs: 5000 });
    const due = walk(scheduled.state, { type: 'deadline', wallMs: 5000, dataFlows: false });
    expect(due.state.status).toBe('SCHEDULED_LIVE');
    expect(due.effects).toContainEqual({ effect: 'deadline', wallMs: 5000 + SCHEDULE_WAIT_MS });
  });

  test('becomes LIVE at its planned start while the stream is connected', () => {
    const ready = walk(scheduled.state, { type: 'publish', wallMs: 4000 }, { type: 'valid-data', wallMs: 4001 });
    expect(ready.state.status).toBe('SCHEDULED_UNPUBLISHED');
    expect(walk(ready.state, { type: 'deadline', wallMs: 5000, dataFlows: true }).state.status).toBe('LIVE');
  });

  test('expires without a stream, and can be canceled or started early', () => {
    const due = walk(scheduled.state, { type: 'scheduled-live', wallMs: 5000 });
    expect(walk(due.state, { type: 'deadline', wallMs: 9e6, dataFlows: false }).state.status).toBe('SCHEDULED_EXPIRED');
    expect(walk(scheduled.state, { type: 'cancel', wallMs: 2 }).state.status).toBe('SCHEDULED_CANCELED');
    expect(goesLiveOnPublish(walk(scheduled.state, { type: 'go-live', wallMs: 2, dataFlows: false }).state)).toBe(true);
  });

  test('does not start at its planned time in manual mode', () => {
    const manual = { ...scheduled.state, isManualMode: true };
    expect(walk(manual, { type: 'deadline', wallMs: 5000, dataFlows: true }).state.status).toBe(
      'SCHEDULED_UNPUBLISHED',
    );
  });
});

test('allows only processing transitions from an ended status', () => {
  const ended: BroadcastStatus[] = ['LIVE_STOPPED', 'PROCESSING', 'VOD', 'SCHEDULED_EXPIRED', 'SCHEDULED_CANCELED'];
  expect(ended.every((status) => isOver({ status }))).toBe(true);
  const inputs = moves()
    .filter((move) => ended.includes(move.from))
    .map((move) => move.input);
  expect(new Set(inputs)).toEqual(new Set(['processing-started', 'processing-done']));
});
