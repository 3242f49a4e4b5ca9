/** The settings that the server gave an encoder which asked for them, tied to a publish by their id. */
import { isRecord } from '../lib/objects.js';
import { FRAME_RATE } from '../spec/tolerances.js';

export interface EncoderSetup {
  readonly configId: string;
  readonly atMs: number;
  readonly ownerId: string;
  /** Name and version as the encoder gave them. */
  readonly client: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly videoKbps: number;
}

const NUMBERS = ['atMs', 'width', 'height', 'fps', 'videoKbps'] as const;
const TEXTS = ['configId', 'ownerId', 'client'] as const;

/** For values read from the store. */
export function isEncoderSetup(value: unknown): value is EncoderSetup {
  return (
    isRecord(value) &&
    NUMBERS.every((name) => typeof value[name] === 'number') &&
    TEXTS.every((name) => typeof value[name] === 'string')
  );
}

/** What the interface and the dashboard show of it. */
export interface EncoderSetupView<Time = string> {
  /** The current or last publish used the settings. False: they were changed in the encoder since. */
  readonly configured: boolean;
  /** When the encoder asked. */
  readonly time: Time;
  readonly client: string;
  readonly width: number;
  readonly height: number;
  readonly frame_rate: number;
  readonly video_bitrate_kbps: number;
}

/** Undefined: no encoder of this broadcast was set up by the server. */
export function encoderSetupView<Time>(
  data: { readonly encoderSetup?: EncoderSetup; readonly isSetUp?: boolean },
  format: (ms: number) => Time,
): EncoderSetupView<Time> | undefined {
  const { encoderSetup: setup, isSetUp = false } = data;
  if (setup === undefined) return undefined;
  return {
    configured: isSetUp,
    time: format(setup.atMs),
    client: setup.client,
    width: setup.width,
    height: setup.height,
    frame_rate: Number(setup.fps.toFixed(2)),
    video_bitrate_kbps: setup.videoKbps,
  };
}

/** The settings of the picture that a stream with this set-up must have. */
export function announcedVideo({ width, height, fps }: EncoderSetup) {
  const frameRateClass: 30 | 60 = fps > FRAME_RATE.settleFps.value ? 60 : 30;
  return { width, height, frameRateClass };
}
