/** The published specification of uploaded videos (docs/spec.md). */
import { houseSpec, overlaid } from './house.js';

const PUBLISHED_UPLOAD = {
  /** Width by height, after rotation. */
  aspectRatios: [
    { name: '9x16', width: 9, height: 16 },
    { name: '16x9', width: 16, height: 9 },
  ],
  /** Container names as published, which are also the usual file name extensions. */
  containers: [
    '3g2',
    '3gp',
    '3gpp',
    'asf',
    'avi',
    'dat',
    'divx',
    'dv',
    'f4v',
    'flv',
    'gif',
    'm2ts',
    'm4v',
    'mkv',
    'mod',
    'mov',
    'mp4',
    'mpe',
    'mpeg',
    'mpeg4',
    'mpg',
    'mts',
    'nsv',
    'ogm',
    'ogv',
    'qt',
    'tod',
    'ts',
    'vob',
    'wmv',
  ],
  audio: {
    codec: 'AAC',
    sampleRateHz: 48_000,
    /** Stereo or mono. */
    channels: [1, 2],
    bitrateKbps: { max: 256 },
  },
} as const;

export type UploadContainer = (typeof PUBLISHED_UPLOAD.containers)[number];

export interface UploadSpecification {
  readonly aspectRatios: readonly { readonly name: string; readonly width: number; readonly height: number }[];
  readonly containers: readonly UploadContainer[];
  readonly audio: {
    readonly codec: string;
    readonly sampleRateHz: number;
    readonly channels: readonly number[];
    readonly bitrateKbps: { readonly max: number };
  };
}

/** The numbers in force: an operator's over the published ones. */
export const UPLOAD: UploadSpecification = overlaid<UploadSpecification>(PUBLISHED_UPLOAD, houseSpec()?.upload);

/**
 * FFmpeg demuxer names that identify each container by content. Several rows are one format under different names (mod
 * and tod are MPEG streams of camcorders, dat is the program stream of a Video CD).
 */
export const DEMUXERS_OF_CONTAINER: Readonly<Record<UploadContainer, readonly string[]>> = {
  '3g2': ['mov', '3g2'],
  '3gp': ['mov', '3gp'],
  '3gpp': ['mov', '3gp'],
  asf: ['asf'],
  avi: ['avi'],
  dat: ['mpeg', 'mpegvideo'],
  divx: ['avi'],
  dv: ['dv'],
  f4v: ['mov', 'mp4'],
  flv: ['flv'],
  gif: ['gif'],
  m2ts: ['mpegts'],
  m4v: ['mov', 'mp4', 'm4v'],
  mkv: ['matroska'],
  mod: ['mpeg'],
  mov: ['mov'],
  mp4: ['mov', 'mp4'],
  mpe: ['mpeg', 'mpegvideo'],
  mpeg: ['mpeg', 'mpegvideo'],
  mpeg4: ['mov', 'mp4', 'm4v'],
  mpg: ['mpeg', 'mpegvideo'],
  mts: ['mpegts'],
  nsv: ['nsv'],
  ogm: ['ogg'],
  ogv: ['ogg'],
  qt: ['mov'],
  tod: ['mpegts', 'mpeg'],
  ts: ['mpegts'],
  vob: ['mpeg'],
  wmv: ['asf'],
};
