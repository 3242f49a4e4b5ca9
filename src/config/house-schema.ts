/** The file of an operator's own bounds (AIRLOCK_SPEC, docs/house-spec.md). docs/spec.schema.json is generated from it. */
import * as z from 'zod/mini';

const count = (max: number) => z.int().check(z.minimum(1), z.maximum(max));
const name = (most: number, least = 0) => z.string().check(z.minLength(least), z.maxLength(most));
const text = (most: number) => z.string().check(z.maxLength(most));
const list = <T extends z.core.$ZodType>(row: T, most: number) => z.array(row).check(z.minLength(1), z.maxLength(most));
const kbps = () => count(1_000_000);
const range = () =>
  z
    .strictObject({ min: z.int().check(z.minimum(0), z.maximum(1_000_000)), max: kbps() })
    .check(z.refine(isOrdered, ORDER));
const fourCc = () => z.string().check(z.regex(/^[\x21-\x7e]{4}$/, 'must be a FourCC: avc1, hvc1, av01, mp4a'));
const rateClass = () => z.literal([30, 60]);
const severity = () => z.enum(['error', 'warning', 'info']);

const ORDER = { message: 'min must not be above max' };

function isOrdered({ min, max }: { readonly min: number; readonly max: number }): boolean {
  return min <= max;
}

const keyFrameInterval = () =>
  z
    .partial(z.strictObject({ recommendedMs: count(60_000), maxMs: count(60_000) }))
    .check(z.describe('Milliseconds of media time.'));

const audioBounds = {
  sampleRatesHz: list(count(192_000), 16),
  bitrateKbps: z.partial(z.strictObject({ preferred: kbps(), max: kbps() })),
  channels: count(8),
};

const profile = z.strictObject({
  name: name(40, 1),
  width: count(16_384),
  height: count(16_384),
  fps: z.optional(rateClass()).check(z.describe('Absent: any frame rate.')),
  videoBitrateKbps: range(),
});

const level = () => z.int().check(z.minimum(10), z.maximum(62));

const live = z.partial(
  z.strictObject({
    effectiveFrom: text(20),
    tracks: z.tuple([z.literal('audio'), z.literal('video')]),
    duration: z.partial(
      z.strictObject({ maxHours: z.number().check(z.minimum(0), z.maximum(720)), maxMs: count(2_592_000_000) }),
    ),
    protocol: z.literal('RTMPS'),
    keyFrameInterval: keyFrameInterval(),
    aspectRatio: z.strictObject({ width: count(100), height: count(100) }),
    videoCodec: z.partial(
      z.strictObject({
        name: text(40),
        allowed: list(fourCc(), 8).check(z.describe('FourCCs: avc1, hvc1, av01.')),
        maxLevelTimes10: z
          .partial(z.strictObject({ 30: level(), 60: level() }))
          .check(z.describe('Ten times the highest H.264 level, by class of the frame rate.')),
      }),
    ),
    profiles: list(profile, 32).check(z.describe('Replaces the whole table.')),
    audio: z.partial(
      z.strictObject({
        codec: text(40),
        allowed: list(fourCc(), 8),
        ...audioBounds,
        loudnessLufs: z.number().check(z.minimum(-40), z.maximum(-5), z.describe('Loudness that a stream is to have.')),
      }),
    ),
  }),
);

const upload = z.partial(
  z.strictObject({
    aspectRatios: list(z.strictObject({ name: text(20), width: count(100), height: count(100) }), 16),
    containers: list(text(10), 64),
    audio: z.partial(
      z.strictObject({
        codec: text(20),
        sampleRateHz: count(192_000),
        channels: list(count(8), 8),
        bitrateKbps: z.strictObject({ max: kbps() }),
      }),
    ),
  }),
);

const condition = z
  .strictObject({
    when: z
      .partial(z.strictObject({ profile: text(40), codec: fourCc(), class: rateClass() }))
      .check(z.refine((when) => Object.keys(when).length > 0, { message: 'must name a profile, a codec or a class' })),
    keyFrameInterval: z.optional(keyFrameInterval()),
    videoBitrateKbps: z.optional(range()),
    audio: z.optional(z.partial(z.strictObject(audioBounds))),
  })
  .check(z.describe('Bounds for streams that meet `when`; later conditions win.'));

const tolerance = z.strictObject({
  value: z.number(),
  unit: z.optional(z.string()),
  why: z.optional(z.string()),
});

export const houseSchema = z.partial(
  z.strictObject({
    $schema: z.optional(z.string()),
    name: z.optional(name(60, 1)).check(z.describe('Shown in records; the file name where absent.')),
    live,
    upload,
    conditions: z.array(condition).check(z.maxLength(100)),
    errors: z
      .array(
        z
          .looseObject({ code: z.int(), severity: severity() })
          .check(z.describe('Only the severity is read: codes and texts are those of the catalog.')),
      )
      .check(z.maxLength(1_000)),
    tolerances: z.record(z.string(), z.record(z.string(), tolerance)),
    subcodes: z.unknown().check(z.describe('Of `npx airlock spec --format json`; not read.')),
    eligibility: z.unknown().check(z.describe('Of `npx airlock spec --format json`; not read.')),
  }),
);
