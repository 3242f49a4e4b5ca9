/**
 * H.264 levels as data: Table A-1 (limits of a level) and Table A-2 (bitrate factors of a profile).
 * Units are the standard's: macroblocks, macroblocks per second; MaxBR and MaxCPB are multiplied by the profile's factor to give bit/s and bits.
 */

export interface LevelLimits {
  /** Display form: '3.1', '1b'. */
  readonly level: string;
  /** Ten times the level; 9 for level 1b, which therefore sorts below 1, unlike in the table. */
  readonly levelTimes10: number;
  /** Macroblocks per second. */
  readonly maxMbps: number;
  /** Macroblocks in a frame. */
  readonly maxFs: number;
  /** Macroblocks in the decoded picture buffer. */
  readonly maxDpbMbs: number;
  /** Units of `BitrateFactors`. */
  readonly maxBr: number;
  /** Units of `BitrateFactors`. */
  readonly maxCpb: number;
}

function row(
  level: string,
  levelTimes10: number,
  maxMbps: number,
  maxFs: number,
  maxDpbMbs: number,
  maxBr: number,
  maxCpb: number,
): LevelLimits {
  return { level, levelTimes10, maxMbps, maxFs, maxDpbMbs, maxBr, maxCpb };
}

/** Table A-1, lowest level first. */
export const LEVELS: readonly LevelLimits[] = [
  //  level  x10    MaxMBPS    MaxFS MaxDpbMbs   MaxBR  MaxCPB
  row('1', 10, 1_485, 99, 396, 64, 175),
  row('1b', 9, 1_485, 99, 396, 128, 350),
  row('1.1', 11, 3_000, 396, 900, 192, 500),
  row('1.2', 12, 6_000, 396, 2_376, 384, 1_000),
  row('1.3', 13, 11_880, 396, 2_376, 768, 2_000),
  row('2', 20, 11_880, 396, 2_376, 2_000, 2_000),
  row('2.1', 21, 19_800, 792, 4_752, 4_000, 4_000),
  row('2.2', 22, 20_250, 1_620, 8_100, 4_000, 4_000),
  row('3', 30, 40_500, 1_620, 8_100, 10_000, 10_000),
  row('3.1', 31, 108_000, 3_600, 18_000, 14_000, 14_000),
  row('3.2', 32, 216_000, 5_120, 20_480, 20_000, 20_000),
  row('4', 40, 245_760, 8_192, 32_768, 20_000, 25_000),
  row('4.1', 41, 245_760, 8_192, 32_768, 50_000, 62_500),
  row('4.2', 42, 522_240, 8_704, 34_816, 50_000, 62_500),
  row('5', 50, 589_824, 22_080, 110_400, 135_000, 135_000),
  row('5.1', 51, 983_040, 36_864, 184_320, 240_000, 240_000),
  row('5.2', 52, 2_073_600, 36_864, 184_320, 240_000, 240_000),
  row('6', 60, 4_177_920, 139_264, 696_320, 240_000, 240_000),
  row('6.1', 61, 8_355_840, 139_264, 696_320, 480_000, 480_000),
  row('6.2', 62, 16_711_680, 139_264, 696_320, 800_000, 800_000),
];

/** Multipliers of MaxBR and MaxCPB for a profile: for VCL bits and for all NAL bits (Table A-2). */
export interface BitrateFactors {
  readonly vcl: number;
  readonly nal: number;
}

const FACTORS: ReadonlyMap<number, BitrateFactors> = new Map([
  [66, { vcl: 1000, nal: 1200 }],
  [77, { vcl: 1000, nal: 1200 }],
  [88, { vcl: 1000, nal: 1200 }],
  [100, { vcl: 1250, nal: 1500 }],
  [110, { vcl: 3000, nal: 3600 }],
  [122, { vcl: 4000, nal: 4800 }],
  [244, { vcl: 4000, nal: 4800 }],
  [44, { vcl: 4000, nal: 4800 }],
]);

/** The factors of a profile_idc; `undefined` for profiles not in Table A-2 (scalable and multiview). */
export function bitrateFactors(profileIdc: number): BitrateFactors | undefined {
  return FACTORS.get(profileIdc);
}

/** The row of a level by `levelTimes10` (9 is level 1b); `undefined` for a level not in the table. */
export function levelLimits(levelTimes10: number): LevelLimits | undefined {
  return LEVELS.find((limits) => limits.levelTimes10 === levelTimes10);
}

const LEVEL_1B_BY_CONSTRAINT = new Set([66, 77, 88]);
const CONSTRAINT_SET3 = 0x10;

/**
 * Ten times the level that a parameter set declares; 9 is level 1b. Profiles 66, 77 and 88 signal level 1b as level_idc 11
 * with constraint_set3_flag, the High family as level_idc 9 (A.3.1, A.3.2).
 */
export function declaredLevelTimes10(profileIdc: number, constraintFlags: number, levelIdc: number): number {
  const hidden1b = levelIdc === 11 && (constraintFlags & CONSTRAINT_SET3) !== 0;
  return hidden1b && LEVEL_1B_BY_CONSTRAINT.has(profileIdc) ? 9 : levelIdc;
}

/** Display form of a level: '4.1', '1b'; a level_idc outside the table is formatted the same way ('4.3'). */
export function levelName(levelTimes10: number): string {
  const known = levelLimits(levelTimes10);
  if (known) return known.level;
  return levelTimes10 % 10 === 0 ? String(levelTimes10 / 10) : (levelTimes10 / 10).toFixed(1);
}

/** Capacity in frames of a level's decoded picture buffer at a picture size (A.3.1 h; at most 16). */
export function maxDpbFrames(limits: LevelLimits, picWidthInMbs: number, frameHeightInMbs: number): number {
  const frameMbs = picWidthInMbs * frameHeightInMbs;
  return frameMbs === 0 ? 16 : Math.min(Math.floor(limits.maxDpbMbs / frameMbs), 16);
}
