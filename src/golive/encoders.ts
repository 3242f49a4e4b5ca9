/** The OBS encoder for a plan, and the plan in its settings. `obs_x264` is everywhere; the others depend on GPU and version. */
import type { EncoderPlan } from './plan.js';
import { type GoLiveRequest, isAtLeast } from './request.js';

type Settings = Readonly<Record<string, string | number | boolean>>;

export interface EncoderChoice {
  /** OBS's id of the encoder. */
  readonly type: string;
  readonly settings: Settings;
}

/** PCI vendor ids. */
const VENDOR = { nvidia: 0x10de, amd: 0x1002, intel: 0x8086, apple: 0x106b } as const;

export function encoderFor(request: GoLiveRequest, plan: EncoderPlan): EncoderChoice {
  const { type, settings } = hardwareEncoder(request, plan) ?? x264(plan);
  return {
    type,
    settings: {
      rate_control: 'CBR',
      bitrate: plan.videoKbps,
      keyint_sec: plan.keyFrameIntervalS,
      profile: 'high',
      ...settings,
    },
  };
}

function x264({ videoKbps, bFrames }: EncoderPlan): EncoderChoice {
  return {
    type: 'obs_x264',
    settings: {
      preset: 'veryfast',
      bf: bFrames,
      use_bufsize: true,
      buffer_size: videoKbps,
      // Key frames only where the interval puts them.
      x264opts: 'scenecut=0',
    },
  };
}

function hardwareEncoder(request: GoLiveRequest, plan: EncoderPlan): EncoderChoice | undefined {
  const { gpuVendorId, platform, isArm, client } = request;
  const isWindows = platform === 'windows';
  switch (gpuVendorId) {
    case VENDOR.nvidia:
      if (platform === 'macos') return undefined;
      return isAtLeast(client.version, 31, 0) ? nvenc(plan) : olderNvenc(plan);
    case VENDOR.amd:
      if (isWindows) return amf(plan);
      return platform === 'linux' ? vaapi(request, plan) : undefined;
    case VENDOR.intel:
      if (platform === 'macos') return undefined;
      return isWindows ? quickSync(plan) : vaapi(request, plan);
    case VENDOR.apple:
      return isArm ? videoToolbox() : undefined;
    default:
      return undefined;
  }
}

const NVENC: Settings = {
  tune: 'hq',
  multipass: 'qres',
  lookahead: false,
  disable_scenecut: true,
};

function nvenc({ bFrames }: EncoderPlan): EncoderChoice {
  return {
    type: 'obs_nvenc_h264_tex',
    settings: { ...NVENC, preset: 'p5', adaptive_quantization: true, bf: bFrames },
  };
}

/** Before OBS 31.0. */
function olderNvenc({ bFrames }: EncoderPlan): EncoderChoice {
  return { type: 'jim_nvenc', settings: { ...NVENC, preset2: 'p5', psycho_aq: true, gpu: 0, bf: bFrames } };
}

function amf({ bFrames }: EncoderPlan): EncoderChoice {
  return { type: 'h264_texture_amf', settings: { preset: 'balanced', bf: bFrames, pre_analysis: false } };
}

function quickSync({ bFrames }: EncoderPlan): EncoderChoice {
  return { type: 'obs_qsv11_v2', settings: { target_usage: 'TU4', latency: 'normal', bframes: bFrames, bf: bFrames } };
}

/** No B-frames: several drivers of this interface refuse them. */
function vaapi({ client }: GoLiveRequest, { videoKbps }: EncoderPlan): EncoderChoice {
  const profile = isAtLeast(client.version, 31, 1) ? 'high' : 100;
  return { type: 'ffmpeg_vaapi_tex', settings: { profile, bf: 0, maxrate: videoKbps } };
}

function videoToolbox(): EncoderChoice {
  return { type: 'com.apple.videotoolbox.videoencoder.ave.avc', settings: { bframes: true } };
}
