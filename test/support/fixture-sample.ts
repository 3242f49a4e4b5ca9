/** A sample of the fixtures for tests that cost processor time for each: `npm test` has minutes for everything. */
import { allFixtures, type Fixture, isSimulated, type Recipe } from './fixtures.js';

const HOUR_MS = 3_600_000;
/** The encoder takes a second of processor time for more. */
const PIXELS = 30_000_000;
/** More than a synthetic stream that is quick has. */
const DEAREST_SYNTH_BITS = 10 ** 11;

/** Every paced fixture, and the cheapest for each code; none that is slow or simulated. The judge in memory runs all but the slow. */
export function sampleOfFixtures(): Fixture[] {
  const known = new Set<number>();
  const isChosen = ({ recipe, expected }: Fixture): boolean => {
    const codes = expected.errors.map(({ code }) => code).filter((code) => !known.has(code));
    for (const code of codes) known.add(code);
    return codes.length > 0 || recipe.delivery !== undefined;
  };
  return quickFixtures()
    .filter((fixture) => !isSimulated(fixture))
    .sort((a, b) => cost(a) - cost(b))
    .filter(isChosen);
}

/** Paced ones come first: they are chosen in any case. Then bits for a synthetic stream, pixels for an encoded one, which cost more. */
function cost({ recipe }: Fixture): number {
  const { durationMs = 10_000, videoKbps = 2_500 } = recipe.options ?? {};
  if (recipe.delivery !== undefined) return 0;
  return recipe.kind === 'synth' ? durationMs * videoKbps : DEAREST_SYNTH_BITS + encodedPixels(recipe);
}

/** All but eight hours, and but streams of real encoders with many pixels. */
export function quickFixtures(): Fixture[] {
  return allFixtures().filter((fixture) => !isSlow(fixture));
}

export function isSlow({ recipe }: Fixture): boolean {
  return (recipe.options?.durationMs ?? 0) > HOUR_MS || encodedPixels(recipe) > PIXELS;
}

/** Of all pictures that a real encoder makes; 0 for synthetic streams. */
function encodedPixels({ args = [], pipeline = '' }: Recipe): number {
  const text = [...args, pipeline].join(' ');
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const [, over, under = '1'] = /rate=(\d+)(?:\/(\d+))?/.exec(text) ?? [];
  const pictures = number(/num-buffers=(\d+)/) || (number(/-t (\d+)/) * Number(over ?? 0)) / Number(under);
  return pictures * number(/(?:width=|size=)(\d+)/) * number(/(?:height=|size=\d+x)(\d+)/);
}
