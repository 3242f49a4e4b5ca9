/** What OBS 30.2 and 32 post before they stream, with a canvas of 1280x720 at 30 fps. */

interface Wanted {
  readonly key: string;
  readonly canvas?: readonly [width: number, height: number];
  readonly output?: readonly [width: number, height: number];
  readonly fps?: readonly [numerator: number, denominator: number];
  readonly channels?: number;
  readonly sampleRateHz?: number;
  readonly gpuVendorId?: number;
  readonly systemName?: string;
  readonly isArm?: boolean;
  readonly version?: string;
  readonly maxKbps?: number | null;
  readonly maxTracks?: number | null;
}

function sizesOf({ canvas = [1280, 720], output = canvas, fps: [numerator, denominator] = [30, 1] }: Wanted) {
  return {
    canvas_height: canvas[1],
    canvas_width: canvas[0],
    framerate: { denominator, numerator },
    height: output[1],
    width: output[0],
  };
}

/** Schema 2024-06-04: on Linux and macOS nothing is known of the machine, and nothing of the audio anywhere. */
export function obs30Request(wanted: Wanted) {
  return {
    authentication: wanted.key,
    capabilities: {
      cpu: { logical_cores: 0, name: null, physical_cores: 0, speed: null },
      gaming_features: null,
      gpu: null,
      memory: { free: 0, total: 0 },
      system: { arm: false, armEmulation: false, bits: 0, build: 0, name: '', release: '', revision: 0, version: '' },
    },
    client: { name: 'obs-studio', supported_codecs: ['h265', 'h264'], version: wanted.version ?? '30.2.3' },
    preferences: {
      ...sizesOf(wanted),
      composition_gpu_index: 0,
      maximum_aggregate_bitrate: wanted.maxKbps ?? null,
      maximum_video_tracks: wanted.maxTracks ?? null,
      vod_track_audio: false,
    },
    schema_version: '2024-06-04',
    service: 'IVS',
  };
}

/** Schema 2025-01-25. */
export function obs32Request(wanted: Wanted) {
  const { gpuVendorId, systemName = 'Debian GNU/Linux', isArm = false } = wanted;
  const memory = { dedicated_video_memory: 8_000_000_000, shared_system_memory: 0 };
  const gpu = { model: 'GPU', vendor_id: gpuVendorId, device_id: 1, driver_version: null, ...memory };
  return {
    authentication: wanted.key,
    capabilities: {
      cpu: { logical_cores: 2, name: 'A processor', physical_cores: 2, speed: 0 },
      gaming_features: null,
      gpu: gpuVendorId === undefined ? [] : [gpu],
      memory: { free: 21_594_750_976, total: 25_276_063_744 },
      system: { arm: isArm, armEmulation: false, bits: 64, build: 0, name: systemName, release: '', revision: '' },
    },
    client: { name: 'obs-studio', supported_codecs: ['h264', 'av1'], version: wanted.version ?? '32.2.2' },
    preferences: {
      audio_channels: wanted.channels ?? 2,
      audio_fixed_buffering: false,
      audio_max_buffering_ms: 960,
      audio_samples_per_sec: wanted.sampleRateHz ?? 48_000,
      canvases: [sizesOf(wanted)],
      composition_gpu_index: 0,
      maximum_aggregate_bitrate: wanted.maxKbps ?? null,
      maximum_video_tracks: wanted.maxTracks ?? null,
      vod_track_audio: false,
    },
    schema_version: '2025-01-25',
    service: 'IVS',
  };
}
