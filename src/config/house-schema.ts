/** The file of an operator's own bounds (AIRLOCK_SPEC, docs/house-spec.md). docs/spec.schema.json is generated from it. */
import { z } from 'zod';

const count = (max: number) => z.int().min(1).max(max);
const kbps = () => count(1_000_000);
const range = () => z.strictObject({ min: z.int().min(0).max(1_000_000), max: kbps() }).refine(isOrdered, ORDER);
const fourCc = () => z.string().regex(/^[\x21-\x7e]{4}$/, 'must be a FourCC: avc1, hvc1, av01, mp4a');
const rateClass = () => z.literal([30, 60]);
const severity = () => z.enum(['error', 'warning', 'info']);

const ORDER = { message: 'min must not be above max' };

function isOrdered({ min, max }: { readonly min: number; readonly max: number }): boolean {
  return min <= max;
}

const keyFrameInterval = () =>
  z
    .strictObject({ recommendedMs: count(60_000), maxMs: count(60_000) })
    .partial()
    .describe('Milliseconds of media time.');

const audioBounds = {
  sampleRatesHz: z.array(count(192_000)).min(1).max(16),
  bitrateKbps: z.strictObject({ preferred: kbps(), max: kbps() }).partial(),
  channels: count(8),
};

const profile = z.strictObject({
  name: z.string().min(1).max(40),
  width: count(16_384),
  height: count(16_384),
  fps: rateClass().optional().describe('Absent: any frame rate.'),
  videoBitrateKbps: range(),
});

const level = () => z.int().min(10).max(62);

const live = z
  .strictObject({
    effectiveFrom: z.string().max(20),
    tracks: z.tuple([z.literal('audio'), z.literal('video')]),
    duration: z.strictObject({ maxHours: z.number().min(0).max(720), maxMs: count(2_592_000_000) }).partial(),
    protocol: z.literal('RTMPS'),
    keyFrameInterval: keyFrameInterval(),
    aspectRatio: z.strictObject({ width: count(100), height: count(100) }),
    videoCodec: z
      .strictObject({
        name: z.string().max(40),
        allowed: z.array(fourCc()).min(1).max(8).describe('FourCCs: avc1, hvc1, av01.'),
        maxLevelTimes10: z
          .strictObject({ 30: level(), 60: level() })
          .partial()
          .describe('Ten times the highest H.264 level, by class of the frame rate.'),
      })
      .partial(),
    profiles: z.array(profile).min(1).max(32).describe('Replaces the whole table.'),
    audio: z
      .strictObject({
        codec: z.string().max(40),
        allowed: z.array(fourCc()).min(1).max(8),
        ...audioBounds,
        loudnessLufs: z.number().min(-40).max(-5).describe('Loudness that a stream is to have.'),
      })
      .partial(),
  })
  .partial();

const upload = z
  .strictObject({
    aspectRatios: z
      .array(z.strictObject({ name: z.string().max(20), width: count(100), height: count(100) }))
      .min(1)
      .max(16),
    containers: z.array(z.string().max(10)).min(1).max(64),
    audio: z
      .strictObject({
        codec: z.string().max(20),
        sampleRateHz: count(192_000),
        channels: z.array(count(8)).min(1).max(8),
        bitrateKbps: z.strictObject({ max: kbps() }),
      })
      .partial(),
  })
  .partial();

const condition = z
  .strictObject({
    when: z
      .strictObject({ profile: z.string().max(40), codec: fourCc(), class: rateClass() })
      .partial()
      .refine((when) => Object.keys(when).length > 0, { message: 'must name a profile, a codec or a class' }),
    keyFrameInterval: keyFrameInterval().optional(),
    videoBitrateKbps: range().optional(),
    audio: z.strictObject(audioBounds).partial().optional(),
  })
  .describe('Bounds for streams that meet `when`; later conditions win.');

const tolerance = z.strictObject({
  value: z.number(),
  unit: z.string().optional(),
  why: z.string().optional(),
});

export const houseSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).max(60).optional().describe('Shown in records; the file name where absent.'),
    live,
    upload,
    conditions: z.array(condition).max(100),
    errors: z
      .array(
        z
          .looseObject({ code: z.int(), severity: severity() })
          .describe('Only the severity is read: codes and texts are those of the catalog.'),
      )
      .max(1_000),
    tolerances: z.record(z.string(), z.record(z.string(), tolerance)),
    subcodes: z.unknown().describe('Of `airlock spec --format json`; not read.'),
    eligibility: z.unknown().describe('Of `airlock spec --format json`; not read.'),
  })
  .partial();
