/** What a publish session writes of the state that it last knew, without reading it. */
import { TOPIC } from '../../../src/ports/index.js';
import { IngestHarness, type Stay } from '../../support/ingest-harness.js';
import { until } from '../../support/store-harness.js';

const GOOD = { durationMs: 1000 };

let harness: IngestHarness;
beforeEach(async () => {
  harness = await IngestHarness.open();
});
afterEach(() => harness.close());

const isLive = (stay: Stay) => until(async () => (await harness.data(stay)).status === 'LIVE');

test('going LIVE reads nothing from the store', async () => {
  const stay = await harness.publish();
  const { objects } = harness.store;
  const read = objects.get.bind(objects);
  let reads = 0;
  objects.get = (id) => {
    reads += 1;
    return read(id);
  };
  let isAnnounced = false;
  const unsubscribe = harness.store.bus.subscribe(TOPIC.state, () => {
    isAnnounced = true;
  });
  stay.send(GOOD);
  await until(async () => isAnnounced);
  unsubscribe();
  expect(reads).toBe(0);
  await isLive(stay);
});

test('a state that another process has changed meanwhile is read before a transition is dropped', async () => {
  const stay = await harness.publish({ goLiveOnData: false });
  stay.send(GOOD);
  await harness.states.edit(stay.publication.liveVideoId, (data) => ({ ...data, goLiveOnData: true }));
  stay.publication.goLiveIfDataFlows();
  await isLive(stay);
});
