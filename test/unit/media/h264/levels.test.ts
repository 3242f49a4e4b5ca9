import {
  bitrateFactors,
  LEVELS,
  type LevelLimits,
  levelLimits,
  levelName,
  maxDpbFrames,
} from '../../../../src/media/h264/levels.js';

/** Maximum side of a picture in macroblocks: the square root of 8 x MaxFS (A.3.1 f and g). */
const maxSide = (limits: LevelLimits) => Math.floor(Math.sqrt(8 * limits.maxFs));

/** The lowest level of the table for a picture of this size in macroblocks and this frame rate. */
const lowestLevel = (width: number, height: number, framesPerSecond: number) =>
  LEVELS.find(
    (limits) =>
      width * height <= limits.maxFs &&
      Math.max(width, height) <= maxSide(limits) &&
      width * height * framesPerSecond <= limits.maxMbps,
  )?.level;

const at = (levelTimes10: number): LevelLimits => levelLimits(levelTimes10) as LevelLimits;

describe('Table A-1', () => {
  test('has the 20 levels, each number once', () => {
    expect(LEVELS.map(({ level }) => level).join(' ')).toBe(
      '1 1b 1.1 1.2 1.3 2 2.1 2.2 3 3.1 3.2 4 4.1 4.2 5 5.1 5.2 6 6.1 6.2',
    );
    expect(new Set(LEVELS.map(({ levelTimes10 }) => levelTimes10)).size).toBe(20);
  });

  test('limits do not decrease from a level to the next', () => {
    for (const key of ['maxMbps', 'maxFs', 'maxDpbMbs', 'maxBr', 'maxCpb'] as const) {
      const column = LEVELS.map((row) => row[key]);
      expect(column).toEqual([...column].sort((a, b) => a - b));
    }
  });

  test.each([
    [31, 108_000, 3_600, 18_000, 14_000, 14_000],
    [40, 245_760, 8_192, 32_768, 20_000, 25_000],
    [41, 245_760, 8_192, 32_768, 50_000, 62_500],
    [42, 522_240, 8_704, 34_816, 50_000, 62_500],
    [51, 983_040, 36_864, 184_320, 240_000, 240_000],
  ])('level %d', (level, maxMbps, maxFs, maxDpbMbs, maxBr, maxCpb) => {
    expect(at(level)).toMatchObject({ maxMbps, maxFs, maxDpbMbs, maxBr, maxCpb });
  });

  test('the bitrates of High at 4.1 and 4.2 are 62.5 and 75 Mbit/s', () => {
    const factors = bitrateFactors(100);
    expect(at(41).maxBr * (factors?.vcl ?? 0)).toBe(62_500_000);
    expect(at(42).maxBr * (factors?.nal ?? 0)).toBe(75_000_000);
    expect(bitrateFactors(118)).toBeUndefined();
  });

  test.each([
    // Sizes of the live specification, in macroblocks, with the lowest level at 30 and at 60 fps.
    ['1080p', 120, 68, '4', '4.2', 4],
    ['720p', 80, 45, '3.1', '3.2', 9],
    ['480p', 54, 30, '3.1', '3.1', 16],
    ['360p', 40, 23, '3', '3.1', 16],
  ])('%s needs the level of the standard', (_name, width, height, at30, at60, dpbAt41) => {
    expect(lowestLevel(width, height, 30)).toBe(at30);
    expect(lowestLevel(width, height, 60)).toBe(at60);
    expect(maxDpbFrames(at(41), width, height)).toBe(dpbAt41);
  });

  test('1080p at 4.1 allows 30.117 fps and not 31', () => {
    expect(lowestLevel(120, 68, 30.11)).toBe('4');
    expect(lowestLevel(120, 68, 31)).toBe('4.2');
    expect(lowestLevel(120, 68, 64)).toBe('4.2');
    expect(lowestLevel(120, 68, 64.1)).toBe('5');
    expect(lowestLevel(2000, 2000, 30)).toBeUndefined();
  });

  test('computes the longest side', () => {
    expect(maxSide(at(41))).toBe(256);
    expect(maxSide(at(42))).toBe(263);
    // 300 macroblocks wide and one high: small, but too wide for 4.1.
    expect(lowestLevel(260, 1, 1)).toBe('4.2');
  });

  test('names levels outside the table', () => {
    expect([9, 10, 41, 43, 70].map(levelName)).toEqual(['1b', '1', '4.1', '4.3', '7']);
  });
});
