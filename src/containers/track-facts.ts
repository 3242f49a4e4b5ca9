/** Facts of the tracks of a file that is meant as an upload. */
import { WireError } from '../bytes/wire-error.js';
import type { FileAudioFacts, FileVideoFacts } from '../facts/probed-file.js';
import { type AudioSpecificConfig, parseAudioSpecificConfig } from '../media/aac/audio-specific-config.js';
import type { Sps } from '../media/h264/sps.js';

/** Gives the time of the last frame in ms for each second of the file, and at the end what was read. */
export type TimedReading<Result> = AsyncGenerator<number, Result, undefined>;

/** The tracks of a file. */
export interface UploadTracks {
  readonly video?: FileVideoFacts | undefined;
  readonly audio?: FileAudioFacts | undefined;
  readonly lengthMs: number;
  readonly problem: string | undefined;
  readonly isEndOpen: boolean;
  /** Why no track can be read. */
  readonly fault?: string | undefined;
}

export const NOTHING = { lengthMs: 0, problem: undefined, isEndOpen: false } as const;

export function damage({ message, offset }: WireError): string {
  return offset < 0 ? `damaged file: ${message}` : `damaged file: ${message} (at byte ${offset})`;
}

/** Undefined: not stated. */
export function aspectOf({ vui }: Sps): number | undefined {
  if (vui === undefined || !(vui.sarWidth > 0) || !(vui.sarHeight > 0)) return undefined;
  return vui.sarWidth / vui.sarHeight;
}

export interface Sound {
  readonly sampleRate: number;
  readonly channels: number;
}

/** Rate and channels as they are decoded; undefined: the configuration does not say both. */
export function configOf(settings: Uint8Array): Sound | undefined {
  try {
    return decodedSound(parseAudioSpecificConfig(settings));
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

export function decodedSound(config: AudioSpecificConfig): Sound | undefined {
  const { sampleRate, extensionSampleRate, channels, ps } = config;
  if (channels === 0) return undefined;
  const isStereo = ps === 'explicit' || ps === 'backwardCompatible';
  return { sampleRate: extensionSampleRate ?? sampleRate, channels: isStereo ? 2 : channels };
}
