/** Request that OBS sends before it starts to stream (multitrack video, schemas 2024-06-04 and 2025-01-25), reduced to the fields that the answer depends on. */

export interface FrameRate {
  readonly numerator: number;
  readonly denominator: number;
}

export interface Canvas {
  /** Output size: what the user's own settings would encode. */
  readonly width: number;
  readonly height: number;
  readonly canvasWidth: number;
  readonly canvasHeight: number;
  readonly frameRate: FrameRate;
}

export interface GoLiveRequest {
  /** Returned in the answer. */
  readonly service: string;
  readonly schemaVersion: string;
  /** The stream key as typed, with its query. */
  readonly authentication: string;
  readonly client: { readonly name: string; readonly version: string };
  readonly platform: 'windows' | 'macos' | 'linux';
  readonly isArm: boolean;
  /** PCI vendor of the GPU that composes the picture; undefined if OBS names none. */
  readonly gpuVendorId: number | undefined;
  readonly canvas: Canvas;
  /** Absent in schema 2024-06-04. */
  readonly audio: { readonly sampleRateHz: number; readonly channels: number } | undefined;
  /** kbps and number of tracks that the user allows; undefined: automatic. */
  readonly maxAggregateKbps: number | undefined;
  readonly maxVideoTracks: number | undefined;
  readonly wantsVodAudio: boolean;
}

/** Whether the client is at least this version; versions are like `32.2.2+ds-1`. */
export function isAtLeast(version: string, major: number, minor: number): boolean {
  const [, foundMajor = '0', foundMinor = '0'] = /^(\d{1,4})\.(\d{1,4})/.exec(version) ?? [];
  return Number(foundMajor) > major || (Number(foundMajor) === major && Number(foundMinor) >= minor);
}

export function fps({ numerator, denominator }: FrameRate): number {
  return numerator / denominator;
}

/** OBS builds a query of it without escaping. */
const CONFIG_ID = /^airlock-[A-Za-z0-9_-]{1,40}$/;

const CONFIG_ID_PARAM = 'clientConfigId';

/** Id of an answer. OBS appends it to the publish name as `clientConfigId`, which ties a stream to the settings that it was given. */
export const configId = (unique: string): string => `airlock-${unique}`;

/** The id in a publish name, if it has the form of one. */
export function configIdOf(params: ReadonlyMap<string, string>): string | undefined {
  const id = params.get(CONFIG_ID_PARAM);
  return id !== undefined && CONFIG_ID.test(id) ? id : undefined;
}
