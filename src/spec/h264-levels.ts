/** H.264 Table A-1, the columns that the rules use: frame size and macroblock rate by level. */

export interface H264Level {
  /** '4.1', '1b'. */
  readonly name: string;
  /** Ten times the level; level 1b is 9. */
  readonly levelTimes10: number;
  /** MaxMBPS: macroblocks per second. */
  readonly maxMacroblocksPerSecond: number;
  /** MaxFS: macroblocks in a frame. */
  readonly maxFrameMacroblocks: number;
}

function level(
  name: string,
  levelTimes10: number,
  maxMacroblocksPerSecond: number,
  maxFrameMacroblocks: number,
): H264Level {
  return { name, levelTimes10, maxMacroblocksPerSecond, maxFrameMacroblocks };
}

export const H264_LEVELS: readonly H264Level[] = [
  //     name  x10    MaxMBPS    MaxFS
  level('1', 10, 1_485, 99),
  level('1b', 9, 1_485, 99),
  level('1.1', 11, 3_000, 396),
  level('1.2', 12, 6_000, 396),
  level('1.3', 13, 11_880, 396),
  level('2', 20, 11_880, 396),
  level('2.1', 21, 19_800, 792),
  level('2.2', 22, 20_250, 1_620),
  level('3', 30, 40_500, 1_620),
  level('3.1', 31, 108_000, 3_600),
  level('3.2', 32, 216_000, 5_120),
  level('4', 40, 245_760, 8_192),
  level('4.1', 41, 245_760, 8_192),
  level('4.2', 42, 522_240, 8_704),
  level('5', 50, 589_824, 22_080),
  level('5.1', 51, 983_040, 36_864),
  level('5.2', 52, 2_073_600, 36_864),
  level('6', 60, 4_177_920, 139_264),
  level('6.1', 61, 8_355_840, 139_264),
  level('6.2', 62, 16_711_680, 139_264),
];

const BY_TIMES_10: ReadonlyMap<number, H264Level> = new Map(H264_LEVELS.map((row) => [row.levelTimes10, row]));

/** The row of a level, or `undefined` if the table has none. */
export function h264Level(levelTimes10: number): H264Level | undefined {
  return BY_TIMES_10.get(levelTimes10);
}

/** Maximum frame width or height in macroblocks: Sqrt(8 * MaxFS) (H.264 A.3.1). */
export function maxSideMacroblocks(row: H264Level): number {
  return Math.floor(Math.sqrt(8 * row.maxFrameMacroblocks));
}

/** '4.1' for 41, '1b' for 9; values outside the table are formatted the same way. */
export function h264LevelName(levelTimes10: number): string {
  return BY_TIMES_10.get(levelTimes10)?.name ?? (levelTimes10 / 10).toFixed(levelTimes10 % 10 === 0 ? 0 : 1);
}
