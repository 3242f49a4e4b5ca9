/** Lifecycle transitions on their way to a store that may be unavailable. */

import { type LiveVideo, type Moved, SupersededError } from '../../../src/broadcasts/state/state-writer.js';
import { TransitionQueue } from '../../../src/broadcasts/state/transition-queue.js';
import { DELETED, EXPIRED, type LifecycleInput } from '../../../src/lifecycle/lifecycle.js';
import { ConflictError, StoreUnavailableError } from '../../../src/ports/index.js';
import { parameterError, subcodeError } from '../../../src/spec/service-errors.js';
import { memoryLog } from '../../support/store-harness.js';

const UNPUBLISH: LifecycleInput = { type: 'unpublish', wallMs: 1, graceMs: 60_000 };
const END: LifecycleInput = { type: 'end', wallMs: 2 };

/** `answers`: errors of the store's first calls; later calls succeed. `pauses`: waits until `pause` reports a shutdown. */
function queueOn(
  answers: readonly Error[],
  pauses = Number.POSITIVE_INFINITY,
  stored = (): LiveVideo => ({ data: {} }) as LiveVideo,
) {
  const happened: string[] = [];
  const left = [...answers];
  let paused = 0;
  const queue = new TransitionQueue({
    liveVideoId: '1',
    known: () => ({}) as LiveVideo,
    states: {
      load: async () => stored(),
      move: async (_id, input) => {
        happened.push(`asked ${input.type}`);
        const fault = left.shift();
        if (fault !== undefined) throw fault;
        return { effects: [] } as Pick<Moved, 'effects'> as Moved;
      },
    },
    pause: async () => ++paused <= pauses,
    log: memoryLog(),
    onMoved: () => happened.push('moved'),
    onRefused: (why) => happened.push(`refused: ${why === undefined || why === 'fault' ? why : why.text}`),
    fence: 7,
    onSuperseded: () => happened.push('superseded'),
  });
  return { queue, happened };
}

test('makes transitions in order, then the writes queued after them', async () => {
  const { queue, happened } = queueOn([]);
  queue.move(UNPUBLISH);
  queue.move(END);
  await queue.after(async () => {
    happened.push('behind');
  });
  expect(happened).toEqual(['asked unpublish', 'moved', 'asked end', 'moved', 'behind']);
});

test('retries a transition while the store is unavailable before it starts the next one', async () => {
  const { queue, happened } = queueOn([new StoreUnavailableError('away'), new StoreUnavailableError('away')]);
  queue.move(UNPUBLISH);
  await queue.move(END);
  expect(happened).toEqual(['asked unpublish', 'asked unpublish', 'asked unpublish', 'moved', 'asked end', 'moved']);
});

test('drops the transition at shutdown while the store is unavailable', async () => {
  const { queue, happened } = queueOn([new StoreUnavailableError('away')], 0);
  await queue.move(END);
  expect(happened).toEqual(['asked end']);
});

test('reports a refused transition and does not retry it', async () => {
  const { queue, happened } = queueOn([parameterError('over')]);
  queue.move(UNPUBLISH);
  await queue.move(END);
  expect(happened).toEqual(['asked unpublish', 'refused: undefined', 'asked end', 'moved']);
});

test('says why a transition is refused: as stored, deleted, expired, or a fault of the server', async () => {
  const whys: [Error, () => LiveVideo, string][] = [
    [parameterError('over'), () => ({ data: { endReason: { text: 'Eight hours.' } } }) as LiveVideo, 'Eight hours.'],
    [parameterError('over'), () => ({ data: { status: 'SCHEDULED_EXPIRED' } }) as LiveVideo, EXPIRED.text],
    [parameterError('gone'), () => raise(subcodeError('LIVE_VIDEO__NOT_EXIST')), DELETED.text],
    [parameterError('over'), () => raise(new StoreUnavailableError('away')), 'fault'],
    [new ConflictError('1'), () => raise(new Error('is not read')), 'fault'],
  ];
  for (const [error, stored, why] of whys) {
    const { queue, happened } = queueOn([error], 0, stored);
    await queue.move(END);
    expect(happened).toEqual(['asked end', `refused: ${why}`]);
  }
});

function raise(error: Error): never {
  throw error;
}

test('reports a transition that a later holder of the lease rules out', async () => {
  const { queue, happened } = queueOn([new SupersededError('another process receives the broadcast')]);
  await queue.move(END);
  expect(happened).toEqual(['asked end', 'superseded']);
});
