/** A sample of the fixtures for tests that cost processor time for each: `npm test` has minutes for everything. */
import { allFixtures, type Fixture } from './fixtures.js';

const EVERY = 24;
const HOUR_MS = 3_600_000;

/** Every paced fixture, one for each code, and every twenty-fourth; none of hours. The judge in memory runs all but those. */
export function sampleOfFixtures(): Fixture[] {
  const known = new Set<number>();
  return allFixtures().filter((fixture, i) => {
    if (isOfHours(fixture)) return false;
    const codes = fixture.expected.errors.map(({ code }) => code).filter((code) => !known.has(code));
    const chosen = codes.length > 0 || fixture.recipe.delivery !== undefined || i % EVERY === 0;
    if (chosen) for (const code of codes) known.add(code);
    return chosen;
  });
}

/** Its messages alone take seconds of processor time. */
export function isOfHours({ recipe }: Fixture): boolean {
  return (recipe.options?.durationMs ?? 0) > HOUR_MS;
}
