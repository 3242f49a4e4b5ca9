/** Moves of a broadcast on their way to a store that may be away. */
import type { LifecycleInput } from '../../../src/broadcast/lifecycle.js';
import type { Moved } from '../../../src/broadcasts/state-writer.js';
import { TransitionQueue } from '../../../src/broadcasts/transition-queue.js';
import { StoreUnavailableError } from '../../../src/ports/index.js';
import { parameterError } from '../../../src/spec/service-errors.js';
import { memoryLog } from '../../support/store-world.js';

const UNPUBLISH: LifecycleInput = { type: 'unpublish', wallMs: 1, graceMs: 60_000 };
const END: LifecycleInput = { type: 'end', wallMs: 2 };

/** `answers`: what the store says, call by call; it takes whatever comes behind them. `pauses`: how often one may wait. */
function queueOn(answers: readonly Error[], pauses = Number.POSITIVE_INFINITY) {
  const happened: string[] = [];
  const left = [...answers];
  let paused = 0;
  const queue = new TransitionQueue({
    liveVideoId: '1',
    states: {
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
    onRefused: () => happened.push('refused'),
  });
  return { queue, happened };
}

test('one after the other, and what is to follow behind them', async () => {
  const { queue, happened } = queueOn([]);
  queue.move(UNPUBLISH);
  queue.move(END);
  await queue.after(async () => {
    happened.push('behind');
  });
  expect(happened).toEqual(['asked unpublish', 'moved', 'asked end', 'moved', 'behind']);
});

test('again and again while the store is away; the next one waits', async () => {
  const { queue, happened } = queueOn([new StoreUnavailableError('away'), new StoreUnavailableError('away')]);
  queue.move(UNPUBLISH);
  await queue.move(END);
  expect(happened).toEqual(['asked unpublish', 'asked unpublish', 'asked unpublish', 'moved', 'asked end', 'moved']);
});

test('a server that shuts down without a store leaves the move to the next one', async () => {
  const { queue, happened } = queueOn([new StoreUnavailableError('away')], 0);
  await queue.move(END);
  expect(happened).toEqual(['asked end']);
});

test('a move that the broadcast does not take any more is told, and not made again', async () => {
  const { queue, happened } = queueOn([parameterError('over')]);
  queue.move(UNPUBLISH);
  await queue.move(END);
  expect(happened).toEqual(['asked unpublish', 'refused', 'asked end', 'moved']);
});
