/** Runs the media targets for a fixed number of executions, and tests the fuzzer itself. `npm run fuzz` runs longer. */

import { parseSps } from '../../src/media/h264/sps.js';
import { type FuzzTarget, fuzz } from '../support/fuzz.js';
import { buildAvcc } from '../support/h264-writer.js';
import { inFull } from '../support/in-full.js';
import { inputOf } from '../support/mutation.js';
import { containerFilesTarget } from './targets/container-files.js';
import { MEDIA_TARGETS } from './targets/media.js';
import { SPS } from './targets/media-corpus.js';
import { library, validateTarget } from './targets/validate.js';

test.each(Object.entries<FuzzTarget>(MEDIA_TARGETS))('%s', async (_name, target) => {
  expect(await fuzz(target)).toBeUndefined();
});

test('a damaged recording gets the same report however it is read', async () => {
  const target = validateTarget();
  expect(await fuzz(target)).toBeUndefined();
  await target.close?.();
});

test('the library judges any bytes in any pieces, and throws nothing of its own', async () => {
  expect(await fuzz(library)).toBeUndefined();
});

inFull('a damaged file of any container gets a report', async () => {
  expect(await fuzz(containerFilesTarget())).toBeUndefined();
});

describe('the fuzzer itself', () => {
  test('finds a decoder that reads past the end, and reproduces its input', async () => {
    const decode = (input: Uint8Array): void => {
      const size = ((input[6] ?? 0) << 8) | (input[7] ?? 0);
      // Planted fault: the length is not checked.
      if (input[0] === 1 && 8 + size > input.length + 200) throw new RangeError('offset is out of bounds');
    };
    const target = { seeds: [[buildAvcc()]], decode };
    const finding = await fuzz(target);
    expect(finding?.error).toBeInstanceOf(RangeError);
    const { input } = inputOf(target, finding?.seed ?? 0, finding?.execution ?? 0);
    expect(() => decode(input)).toThrow(RangeError);
  });

  test('finds a decoder that returns impossible results', async () => {
    const decode = (input: Uint8Array): void => {
      if (parseSps(input).levelIdc > 200) throw new Error('planted');
    };
    const seeds = SPS.map((sps) => [sps]);
    expect((await fuzz({ seeds, decode }))?.error).toMatchObject({ message: 'planted' });
  });
});
