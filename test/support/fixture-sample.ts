/** A sample of the fixtures for tests that cost processor time for each: `npm test` has minutes for everything. */
import { allFixtures, type Fixture, isSimulated, type Recipe } from './fixtures.js';

const EVERY = 24;
const HOUR_MS = 3_600_000;
/** The encoder takes seconds of processor time for more. */
const PIXELS = 100_000_000;

/** Every paced fixture, one for each code, and every twenty-fourth; none that is slow or simulated. The judge in memory runs all but the slow. */
export function sampleOfFixtures(): Fixture[] {
  const known = new Set<number>();
  const quick = quickFixtures().filter((fixture) => !isSimulated(fixture));
  return quick.filter((fixture, i) => {
    const codes = fixture.expected.errors.map(({ code }) => code).filter((code) => !known.has(code));
    const chosen = codes.length > 0 || fixture.recipe.delivery !== undefined || i % EVERY === 0;
    if (chosen) for (const code of codes) known.add(code);
    return chosen;
  });
}

/** All but eight hours, and but conforming streams of real encoders with many pixels. */
export function quickFixtures(): Fixture[] {
  return allFixtures().filter((fixture) => !isSlow(fixture));
}

export function isSlow({ recipe, expected }: Fixture): boolean {
  const isOfHours = (recipe.options?.durationMs ?? 0) > HOUR_MS;
  return isOfHours || (expected.errors.length === 0 && encodedPixels(recipe) > PIXELS);
}

/** Of all pictures that a real encoder makes; 0 for synthetic streams. */
function encodedPixels({ args = [], pipeline = '' }: Recipe): number {
  const text = [...args, pipeline].join(' ');
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const [, over, under = '1'] = /rate=(\d+)(?:\/(\d+))?/.exec(text) ?? [];
  const pictures = number(/num-buffers=(\d+)/) || (number(/-t (\d+)/) * Number(over ?? 0)) / Number(under);
  return pictures * number(/(?:width=|size=)(\d+)/) * number(/(?:height=|size=\d+x)(\d+)/);
}
