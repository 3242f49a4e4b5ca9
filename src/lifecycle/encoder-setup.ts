/** The settings that the server gave an encoder which asked for them, tied to a publish by their id. */
import { isRecord } from '../lib/objects.js';
import { FRAME_RATE } from '../spec/tolerances.js';

export interface VideoTrackSetup {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly videoKbps: number;
}

export interface EncoderSetup extends VideoTrackSetup {
  readonly configId: string;
  readonly atMs: number;
  readonly ownerId: string;
  /** Name and version as the encoder gave them. */
  readonly client: string;
  /** Further video tracks, from track 1. */
  readonly moreTracks?: readonly VideoTrackSetup[];
  /** Audio tracks; absent: one. */
  readonly audioTracks?: number;
}

const TRACK_NUMBERS = ['width', 'height', 'fps', 'videoKbps'] as const;
const NUMBERS = ['atMs', ...TRACK_NUMBERS] as const;
const TEXTS = ['configId', 'ownerId', 'client'] as const;

/** For values read from the store. */
export function isEncoderSetup(value: unknown): value is EncoderSetup {
  return (
    isRecord(value) &&
    NUMBERS.every((name) => typeof value[name] === 'number') &&
    TEXTS.every((name) => typeof value[name] === 'string') &&
    (value.moreTracks === undefined || (Array.isArray(value.moreTracks) && value.moreTracks.every(isVideoTrack))) &&
    (value.audioTracks === undefined || typeof value.audioTracks === 'number')
  );
}

function isVideoTrack(value: unknown): value is VideoTrackSetup {
  return isRecord(value) && TRACK_NUMBERS.every((name) => typeof value[name] === 'number');
}

/** View of it for the interface and the dashboard. */
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
  /** Tracks where there are several video tracks; the first one is 0. */
  readonly tracks?: readonly {
    readonly track: number;
    readonly width: number;
    readonly height: number;
    readonly video_bitrate_kbps: number;
  }[];
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
    ...(setup.moreTracks === undefined
      ? {}
      : {
          tracks: videoTracks(setup).map(({ width, height, videoKbps }, track) => ({
            track,
            width,
            height,
            video_bitrate_kbps: videoKbps,
          })),
        }),
  };
}

/** By track ID. */
export function videoTracks(setup: EncoderSetup): readonly VideoTrackSetup[] {
  return [setup, ...(setup.moreTracks ?? [])];
}

export function agreedTracks(setup: EncoderSetup): { readonly video: number; readonly audio: number } {
  return { video: videoTracks(setup).length, audio: setup.audioTracks ?? 1 };
}

/** The settings of the picture that a track with this set-up must have. */
export function announcedVideo({ width, height, fps }: VideoTrackSetup) {
  const frameRateClass: 30 | 60 = fps > FRAME_RATE.settleFps.value ? 60 : 30;
  return { width, height, frameRateClass };
}
