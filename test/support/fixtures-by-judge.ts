/** Fixtures through the judge in memory raise exactly the records of `expected.json`, at their stream times. */
import { differences, expectedRecords, judgeAsDelivered, judgeAsFile, judgeAsSteady, linesOf } from './fixture-run.js';
import { type Fixture, messagesOf } from './fixtures.js';

/** The duration of a live broadcast goes by the clock, that of a file by its packets: its time differs by up to a tick. */
function withoutClock(line: string): string {
  return /^650[12] /.test(line) ? line.replace(/at \d+ ms|"(observed|worst)":\d+,/g, '') : line;
}

/** Declares a test for each fixture, and one more with a simulated clock where the recipe has a delivery. */
export function testByJudge(fixtures: readonly Fixture[]): void {
  test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', async (_name, fixture) => {
    const found = judgeAsFile(fixture, await messagesOf(fixture));
    expect(differences(found, expectedRecords(fixture.expected, { arrival: false, has: ['target'] }))).toEqual([]);
    // A clock adds what the arrival shows, and changes nothing else.
    const onlyLive = fixture.expected.errors.flatMap(({ code, live_only }) => (live_only === true ? [code] : []));
    const live = judgeAsSteady(fixture, await messagesOf(fixture)).filter(({ code }) => !onlyLive.includes(code));
    expect(linesOf(live).map(withoutClock)).toEqual(linesOf(found).map(withoutClock));
  });

  const delivered = fixtures.flatMap((fixture) =>
    fixture.recipe.delivery === undefined ? [] : [[fixture.name, fixture, fixture.recipe.delivery] as const],
  );
  if (delivered.length === 0) return;
  describe('with a simulated clock, paced by the delivery', () => {
    test.each(delivered)('%s', async (_name, fixture, delivery) => {
      const found = judgeAsDelivered(fixture, await messagesOf(fixture), delivery);
      expect(differences(found, expectedRecords(fixture.expected, { arrival: true, has: ['target'] }))).toEqual([]);
    });
  });
}
