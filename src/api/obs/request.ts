/**
 * The body of OBS's question. Only what the answer depends on is read; the rest may have any type. A value outside its
 * bounds counts as absent, except in the canvas: without one there is no answer.
 */
import { z } from 'zod';
import type { GoLiveRequest } from '../../golive/request.js';

const MAX_PIXELS = 16_384;

const pixels = z.int().min(16).max(MAX_PIXELS);
/** Numerators that OBS uses are at most 240,000; the bound keeps products exact. */
const factor = z.int().min(1).max(10_000_000);
const rate = z
  .object({ numerator: factor, denominator: factor })
  .refine(({ numerator, denominator }) => numerator / denominator >= 1 && numerator / denominator <= 1_000);
const canvas = z.object({
  width: pixels,
  height: pixels,
  canvas_width: pixels,
  canvas_height: pixels,
  framerate: rate,
});
const bounded = (min: number, max: number) => z.int().min(min).max(max).optional().catch(undefined);
const word = z.string().max(200).catch('');

const preferences = z.looseObject({
  canvases: z.array(canvas).min(1).max(64).optional().catch(undefined),
  maximum_aggregate_bitrate: bounded(0, 10_000_000),
  maximum_video_tracks: bounded(0, 100),
  vod_track_audio: z.boolean().catch(false),
  composition_gpu_index: bounded(0, 63),
  audio_samples_per_sec: bounded(1, 1_000_000),
  audio_channels: bounded(1, 64),
});

const gpu = z.object({ vendor_id: bounded(0, 0xffff_ffff) }).catch({ vendor_id: undefined });

const bodySchema = z.object({
  service: z.string().max(40).catch('IVS'),
  schema_version: z.string().max(40).catch(''),
  authentication: z.string().max(4_096),
  client: z.object({ name: word, version: word }).catch({ name: '', version: '' }),
  capabilities: z
    .object({
      gpu: z.array(gpu).max(64).nullish().catch(undefined),
      system: z.object({ name: word, arm: z.boolean().catch(false) }).catch({ name: '', arm: false }),
    })
    .catch({ gpu: undefined, system: { name: '', arm: false } }),
  preferences,
});

/** Undefined: not a question of OBS. */
export function parseGoLive(text: string, userAgent: string): GoLiveRequest | undefined {
  const parsed = bodySchema.safeParse(jsonOf(text));
  if (!parsed.success) return undefined;
  const { service, schema_version, authentication, client, capabilities, preferences: wanted } = parsed.data;
  const main = wanted.canvases?.[0] ?? canvas.safeParse(wanted).data;
  if (main === undefined) return undefined;
  const { audio_samples_per_sec: sampleRateHz, audio_channels: channels } = wanted;
  return {
    service,
    schemaVersion: schema_version,
    authentication,
    client,
    platform: platformOf(capabilities.system.name, userAgent),
    isArm: capabilities.system.arm,
    gpuVendorId: capabilities.gpu?.[wanted.composition_gpu_index ?? 0]?.vendor_id,
    canvas: {
      width: main.width,
      height: main.height,
      canvasWidth: main.canvas_width,
      canvasHeight: main.canvas_height,
      frameRate: main.framerate,
    },
    audio: sampleRateHz === undefined || channels === undefined ? undefined : { sampleRateHz, channels },
    maxAggregateKbps: wanted.maximum_aggregate_bitrate,
    maxVideoTracks: wanted.maximum_video_tracks,
    wantsVodAudio: wanted.vod_track_audio,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Before OBS 31.1, only the User-Agent names the system on Linux and macOS. */
function platformOf(systemName: string, userAgent: string): GoLiveRequest['platform'] {
  const text = `${systemName} ${userAgent.slice(0, 200)}`;
  if (/windows/i.test(text)) return 'windows';
  return /\bmac(os)?\b/i.test(text) ? 'macos' : 'linux';
}
