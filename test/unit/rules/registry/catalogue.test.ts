/** The error catalogue: complete, without duplicates, consistent with the rules. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { LEVELS } from '../../../../src/media/h264/levels.js';
import { description } from '../../../../src/rules/describe.js';
import { CATALOGUE, catalogueEntry } from '../../../../src/rules/registry/catalogue.js';
import { FILE_RULES, LIVE_RULES, SERVICE_RULES } from '../../../../src/rules/registry/rules.js';
import { SERVICE_CODES } from '../../../../src/rules/registry/service-codes.js';
import { copyrightMatch } from '../../../../src/rules/service/copyright-match.js';
import { H264_LEVELS } from '../../../../src/spec/h264-levels.js';
import { TOLERANCES } from '../../../../src/spec/tolerances.js';

/** Codes and types are an interface and never reused: a change here breaks clients that read records. */
const TYPES: Readonly<Record<number, string>> = {
  6101: 'PROTOCOL_NOT_RTMPS',
  6102: 'PUBLISH_REFUSED',
  6201: 'VIDEO_CODEC_UNSUPPORTED',
  6202: 'VIDEO_LEVEL_TOO_HIGH',
  6203: 'VIDEO_LEVEL_UNDERSTATED',
  6204: 'VIDEO_RESOLUTION_TOO_LARGE',
  6205: 'VIDEO_RESOLUTION_UNLISTED',
  6206: 'VIDEO_FRAME_RATE_UNSUPPORTED',
  6207: 'VIDEO_ASPECT_RATIO',
  6208: 'KEY_FRAME_INTERVAL_TOO_LONG',
  6209: 'KEY_FRAME_INTERVAL_ABOVE_RECOMMENDED',
  6210: 'VIDEO_BITRATE_TOO_HIGH',
  6211: 'VIDEO_BITRATE_TOO_LOW',
  6212: 'VIDEO_INTERLACED',
  6213: 'VIDEO_CHROMA_UNSUPPORTED',
  6214: 'VIDEO_OPEN_GOP',
  6215: 'KEY_FRAMES_TOO_FREQUENT',
  6216: 'MULTIPLE_TRACKS',
  6217: 'METADATA_MISMATCH',
  6218: 'PARAMETER_SETS_WITHOUT_IDR',
  6219: 'PARAMETER_SET_ABSENT',
  6220: 'REFERENCE_LOST',
  6221: 'NAL_MALFORMED',
  6222: 'DPB_OVER_LEVEL',
  6223: 'HRD_UNDERFLOW',
  6224: 'FIRST_FRAME_NOT_IDR',
  6225: 'CODEC_HEADER_MISSING',
  6226: 'COMPOSITION_TIME_NEGATIVE',
  6227: 'SAMPLE_ASPECT_INVALID',
  6228: 'B_FRAMES_IN_BASELINE',
  6229: 'SLICES_MANY',
  6301: 'AUDIO_CODEC_UNSUPPORTED',
  6302: 'AUDIO_PROFILE_UNSUPPORTED',
  6303: 'AUDIO_SAMPLE_RATE_UNSUPPORTED',
  6304: 'AUDIO_CHANNELS_NOT_STEREO',
  6305: 'AUDIO_BITRATE_TOO_HIGH',
  6306: 'AUDIO_BITRATE_ABOVE_PREFERRED',
  6307: 'AUDIO_SYNTAX_INVALID',
  6308: 'AUDIO_TIMESTAMP_DEVIATION',
  6401: 'VIDEO_MISSING',
  6402: 'AUDIO_MISSING',
  6403: 'SETTINGS_CHANGED',
  6404: 'TIMESTAMP_DISORDER',
  6405: 'AUDIO_VIDEO_DRIFT',
  6406: 'STREAM_STARVED',
  6407: 'FASTER_THAN_REAL_TIME',
  6408: 'FRAMES_DROPPED',
  6409: 'TRACKS_INTERLEAVED_WIDELY',
  6410: 'TIMESTAMP_JITTER',
  6411: 'TIMESTAMPS_DUPLICATED',
  6501: 'DURATION_EXCEEDED',
  6502: 'DURATION_NEAR_LIMIT',
  6503: 'STREAM_INTERRUPTED',
  6504: 'STREAM_TAKEN_OVER',
  6505: 'RECORDING_STOPPED',
  6511: 'FORWARD_REFUSED',
  6512: 'FORWARD_LOST',
  6513: 'FORWARD_BEHIND',
  6506: 'RECORDING_GAP',
  6507: 'BACKUP_ON_AIR',
  6508: 'BACKUP_DIFFERS',
  6509: 'BACKUP_ABSENT',
  6601: 'COPYRIGHT_VIOLATION',
  6602: 'COPYRIGHT_MATCH',
  6701: 'UPLOAD_CONTAINER_UNSUPPORTED',
  6702: 'UPLOAD_ASPECT_RATIO',
  6703: 'UPLOAD_AUDIO_CODEC',
  6704: 'UPLOAD_AUDIO_SAMPLE_RATE',
  6705: 'UPLOAD_AUDIO_CHANNELS',
  6706: 'UPLOAD_AUDIO_BITRATE',
  6707: 'UPLOAD_UNREADABLE',
  6801: 'AUDIO_SILENT',
  6802: 'AUDIO_CHANNEL_SILENT',
  6803: 'AUDIO_OUT_OF_PHASE',
  6804: 'AUDIO_STUCK',
  6805: 'AUDIO_QUIET',
  6806: 'LOUDNESS_OFF_TARGET',
  6811: 'VIDEO_FROZEN',
  6812: 'VIDEO_BLACK',
  6821: 'CAPTIONS_LOST',
  6822: 'TIMECODE_JUMP',
  6901: 'NETWORK_OUTAGE',
  6902: 'UPLINK_TOO_SMALL',
  6903: 'SENDER_DROPS_FRAMES',
  6904: 'BITRATE_LOWERED',
  6905: 'ENCODER_OVERLOADED',
  6906: 'RENDERER_LAGGING',
  6907: 'SOURCE_PAUSED',
  6908: 'SERVER_LATE',
};

describe('catalogue', () => {
  test('keeps published codes and types', () => {
    expect(Object.fromEntries(CATALOGUE.map(({ code, type }) => [code, type]))).toEqual(TYPES);
    expect(new Set(CATALOGUE.map(({ type }) => type)).size).toBe(CATALOGUE.length);
  });

  test('maps requirements to errors, and recommendations and preferences to warnings', () => {
    const of = (severity: string) => CATALOGUE.filter((row) => row.severity === severity).map(({ code }) => code);
    expect(of('error')).toEqual([
      6101, 6102, 6201, 6202, 6204, 6206, 6208, 6210, 6301, 6302, 6303, 6304, 6305, 6401, 6402, 6403, 6501, 6601, 6701,
      6702, 6703, 6704, 6705, 6706, 6707,
    ]);
    expect(of('info')).toEqual([6217, 6229, 6410, 6806, 6821, 6822, 6904]);
  });

  test('has a rule, a service code or a detector for each live row', () => {
    const services = [...Object.values(SERVICE_CODES), copyrightMatch.entry.code];
    const judged = [...LIVE_RULES.map(({ entry }) => entry.code), ...services].sort();
    expect(judged).toEqual(CATALOGUE.filter((row) => row.judgedBy !== 'file').map(({ code }) => code));
  });

  test.each([
    ['live', LIVE_RULES],
    ['upload', FILE_RULES],
    ['service', SERVICE_RULES],
  ] as const)('each file of rules/%s holds one rule, which is listed', async (room, listed) => {
    const folder = new URL(`../../../../src/rules/${room}/`, import.meta.url);
    const files = readdirSync(folder);
    const held = await Promise.all(files.map(async (file) => Object.values(await import(new URL(file, folder).href))));
    const rules = held.map((values) => values.filter((value) => (listed as readonly unknown[]).includes(value)));
    expect(files.filter((_file, at) => rules[at]?.length !== 1)).toEqual([]);
    expect(files.length).toBe(listed.length);
  });

  test('throws for an unknown code', () => {
    expect(() => catalogueEntry(6999)).toThrow('6999');
  });

  test.each(CATALOGUE.map((row) => [row.code, row] as const))('%d has complete sentences', (_code, row) => {
    expect(row.raisedWhen).toMatch(/^[A-Z0-9].*\.$/);
    expect(row.delay.ms).toBeGreaterThanOrEqual(0);
    const text = description(row, { observed: 1, limit: 2, placeholders: {} }, 'Do this.');
    expect(text.startsWith(`[${row.code} ${row.type}] `)).toBe(true);
    expect(text).toMatch(/\.( Do this\.)$/);
  });
});

describe('tolerances', () => {
  test('each have a number, a unit and a reason', () => {
    for (const group of Object.values(TOLERANCES)) {
      for (const { value, unit, why } of Object.values(group)) {
        expect(Number.isFinite(value)).toBe(true);
        expect(unit).not.toBe('');
        expect(why).toMatch(/\.$/);
      }
    }
  });
});

describe('H.264 levels', () => {
  test('equal those of the media parser', () => {
    expect(
      H264_LEVELS.map((row) => [row.name, row.levelTimes10, row.maxMacroblocksPerSecond, row.maxFrameMacroblocks]),
    ).toEqual(LEVELS.map((row) => [row.level, row.levelTimes10, row.maxMbps, row.maxFs]));
  });
});
