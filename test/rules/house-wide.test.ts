/**
 * The wider sample of examples/specs in force: 1440p and HEVC, and bounds that hold for some streams only.
 *
 * @jest-environment node
 */
import { join } from 'node:path';
import { readHouseFile } from '../../src/config/house-file.js';
import { adoptHouseSpec } from '../../src/spec/house.js';

adoptHouseSpec(readHouseFile(join(import.meta.dirname, '../../examples/specs/wide-1440p.json')));
const { codesOf, judgeStream, only } = await import('./harness.js');

const large = { width: 2560, height: 1440, fps: 30, levelIdc: 50, videoKbps: 8000, durationMs: 30_000 };

test('1440p at level 5.0 conforms', () => {
  expect(judgeStream(large).records.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('HEVC is no fault, another codec is, and the text names both', () => {
  expect(codesOf({ videoCodec: 'hvc1', metadata: false })).not.toContain(6201);
  expect(only(judgeStream({ videoCodec: 'av01', metadata: false }), 6201).limit).toBe('H.264 or HEVC (H.265)');
});

test('a bound with a condition holds for the streams that meet it', () => {
  const fast = { ...large, fps: 60, levelIdc: 51, videoKbps: 12_000, keyFrameIntervalMs: 3000 };
  expect(only(judgeStream(fast), 6208)).toMatchObject({ limit: 2000 });
  expect(codesOf({ ...large, keyFrameIntervalMs: 3000 })).not.toContain(6208);
  const hevc = judgeStream({ videoCodec: 'hvc1', metadata: false, videoKbps: 500, durationMs: 40_000 });
  expect(only(hevc, 6211)).toMatchObject({ limit: 1000 });
});

test('the file cannot be set once the specification is in use', () => {
  const again = readHouseFile(join(import.meta.dirname, '../../examples/specs/strict-720p.json'));
  expect(() => adoptHouseSpec(again)).toThrow('in use');
});
