/** Many references with the same sound: how often they are reported, and which of them may block. */
import { INDEX } from '../../src/copyright/limits.js';
import { DETECTOR } from '../../src/detection/limits.js';
import { referenceRemoval, referenceWrites, SYSTEM_EDGES } from '../../src/ports/index.js';
import {
  broadcast,
  openCopyright,
  openDetector,
  parts,
  print,
  refer,
  references,
  samplesOf,
  video,
  videos,
} from '../support/copyright-harness.js';
import { song } from '../support/sounds.js';
import { videoOf } from '../support/vod-harness.js';

openCopyright();

test('what matches everything is reported a bounded number of times, also to an encoder that connects again', async () => {
  const tune = song(51, 20);
  const copied = await video('page-k', tune);
  await refer(copied, 'page-k', ['page-a', 'page-b']);
  const { data } = await videoOf(parts, copied);
  // As many references as there are Pages that claim the same sound.
  const copies = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const id = parts.ids.next();
      await parts.store.objects.commit([
        {
          op: 'put',
          object: { id, kind: 'video', createdMs: 1, updatedMs: 1, data: { ...data, ownerId: `page-k${at}` } },
        },
        ...referenceWrites(
          { videoId: id, ownerId: `page-k${at}`, policy: 'monitor', excluded: [], allowedPages: [] },
          Date.now(),
        ),
      ]);
      return { id, ownerId: `page-k${at}` };
    }),
  );
  await references.load();
  const listed = async () =>
    (await parts.store.objects.page(SYSTEM_EDGES.copyrightMatches, { limit: 1_000 })).entries.length;
  const before = await listed();
  const { detector, clock } = openDetector();
  const collected = await samplesOf('page-l', tune);
  const reported: number[] = [];
  for (const session of ['first', 'second', 'third', 'fourth']) {
    let count = 0;
    for (const { sample, flv } of collected) {
      clock.nowMs += 8_000;
      count += (await detector.check({ ...sample, session }, flv)).matches.length;
    }
    reported.push(count);
  }
  expect(reported).toEqual([INDEX.hitsMax, INDEX.hitsMax, DETECTOR.matchesPerHour - 2 * INDEX.hitsMax, 0]);
  expect((await listed()) - before).toBeLessThanOrEqual(DETECTOR.matchesPerHour);
  const upload = await video('page-l', tune);
  await print(upload);
  const found = (await videoOf(parts, upload)).data.copyrightCheck?.matches ?? [];
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThanOrEqual(DETECTOR.matchesPerHour);
  for (const { id, ownerId } of copies) await parts.store.objects.commit(referenceRemoval(ownerId, id));
  await parts.store.objects.commit(referenceRemoval('page-k', copied));
  await references.load();
});

test('a reference with content of an older one blocks nothing until the operator has decided', async () => {
  const tune = song(52, 30);
  const original = await video('page-m', tune);
  await refer(original, 'page-m', ['page-n']);
  const contested = await video('page-o', tune);
  await refer(contested, 'page-o', [], 'block');
  await references.load();
  const policies = async () =>
    (await broadcast('page-p', tune, 2)).map(({ reference_id, policy }) => [reference_id, policy]);
  expect(await policies()).toEqual(
    expect.arrayContaining([
      [original, 'monitor'],
      [contested, 'monitor'],
    ]),
  );
  // A Page that the older reference allows is not matched by its copy.
  expect(await broadcast('page-n', tune, 1)).toEqual([]);
  await videos.change(contested, (data) => ({ ...data, copyrightCheck: { status: 'complete', matches: [] } }));
  await references.load();
  expect(await policies()).toEqual(expect.arrayContaining([[contested, 'block']]));
});
