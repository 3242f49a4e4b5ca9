/** Files of MP4, MOV, Matroska, WebM and MPEG-TS as the muxers of ffmpeg and GStreamer write them, from the same few encodings. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withEdits } from './container-edits.js';
import { runFfmpeg } from './media-files.js';

export interface ContainerCase {
  /** Its ending is that of the container. */
  readonly name: string;
  readonly make: (path: string, folder: string) => void;
}

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30:duration=7'];
const SOUND = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=7'];
const STEREO = ['-ac', '2'];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-b:v', '900k', '-maxrate', '1M'];
const AAC = ['-c:a', 'aac', '-b:a', '128k', ...STEREO];
const GOP = ['-bufsize', '1M', '-g', '60', '-keyint_min', '60'];

/** Encoded once for all cases, without edit lists or priming where the container allows it. */
const SOURCES = {
  plain: [...PICTURES, ...SOUND, ...H264, ...GOP, '-bf', '0', ...AAC, '-f', 'nut'],
  bframes: [
    ...PICTURES,
    ...SOUND,
    ...H264,
    ...GOP,
    '-bf',
    '3',
    '-x264-params',
    'b-pyramid=normal:b-adapt=0',
    ...AAC,
    '-f',
    'nut',
  ],
  open: [
    ...PICTURES,
    ...SOUND,
    ...H264,
    '-bufsize',
    '1M',
    '-g',
    '30',
    '-bf',
    '2',
    '-x264-params',
    'open-gop=1:b-adapt=0',
    ...AAC,
    '-f',
    'nut',
  ],
  ntsc: [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=640x360:rate=30000/1001:duration=7',
    '-f',
    'lavfi',
    '-i',
    'sine=sample_rate=44100:duration=7',
    ...H264,
    ...GOP,
    '-bf',
    '2',
    ...AAC,
    '-f',
    'nut',
  ],
  interlaced: [
    ...PICTURES,
    ...SOUND,
    ...H264,
    ...GOP,
    '-flags',
    '+ilme+ildct',
    '-x264-params',
    'tff=1',
    '-bf',
    '1',
    ...AAC,
    '-f',
    'nut',
  ],
  hevc: [
    ...PICTURES,
    ...SOUND,
    '-c:v',
    'libx265',
    '-preset',
    'ultrafast',
    '-x265-params',
    'log-level=none',
    '-c:a',
    'libopus',
    ...STEREO,
    '-f',
    'nut',
  ],
  vp9: [
    ...PICTURES,
    ...SOUND,
    '-c:v',
    'libvpx-vp9',
    '-deadline',
    'realtime',
    '-cpu-used',
    '8',
    '-c:a',
    'libopus',
    ...STEREO,
    '-f',
    'nut',
  ],
  vp8: [
    ...PICTURES,
    ...SOUND,
    '-c:v',
    'libvpx',
    '-deadline',
    'realtime',
    '-cpu-used',
    '8',
    '-c:a',
    'libvorbis',
    ...STEREO,
    '-f',
    'nut',
  ],
  av1: [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=320x180:rate=30:duration=2',
    ...SOUND,
    '-t',
    '2',
    '-c:v',
    'libsvtav1',
    '-preset',
    '12',
    '-c:a',
    'flac',
    ...STEREO,
    '-f',
    'nut',
  ],
  mpeg2: [...PICTURES, ...SOUND, '-c:v', 'mpeg2video', '-b:v', '1M', '-bf', '2', '-c:a', 'mp2', ...STEREO, '-f', 'nut'],
  mpeg4: [
    ...PICTURES,
    ...SOUND,
    '-c:v',
    'mpeg4',
    '-b:v',
    '1M',
    '-bf',
    '0',
    '-c:a',
    'libmp3lame',
    ...STEREO,
    '-f',
    'nut',
  ],
  ac3: [...PICTURES, ...SOUND, ...H264, ...GOP, '-bf', '2', '-c:a', 'ac3', ...STEREO, '-f', 'nut'],
  pcm: [...PICTURES, ...SOUND, ...H264, ...GOP, '-bf', '0', '-c:a', 'pcm_s16le', ...STEREO, '-f', 'nut'],
  video: [...PICTURES, ...H264, ...GOP, '-bf', '2', '-f', 'nut'],
  audio: [...SOUND, ...AAC, '-f', 'nut'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type SourceName = keyof typeof SOURCES;

export function sourceOf(name: SourceName, folder: string): string {
  const path = join(folder, `${name}.nut`);
  if (!existsSync(path)) runFfmpeg([...SOURCES[name], path]);
  return path;
}

/** `before`: options of the input. */
function copied(
  name: string,
  source: SourceName,
  options: readonly string[] = [],
  before: readonly string[] = [],
): ContainerCase {
  return {
    name,
    make: (path, folder) => runFfmpeg([...before, '-i', sourceOf(source, folder), '-c', 'copy', ...options, path]),
  };
}

/** Sound and pictures from two readings of the source, each with its own options. */
function apart(
  name: string,
  video: readonly string[],
  audio: readonly string[],
  options: readonly string[] = [],
): ContainerCase {
  return {
    name,
    make: (path, folder) => {
      const source = sourceOf('bframes', folder);
      const inputs = [...video, '-i', source, ...audio, '-i', source];
      runFfmpeg([...inputs, '-map', '0:v', '-map', '1:a', '-c', 'copy', ...options, path]);
    },
  };
}

/** Packets of the source between these times are left out. */
const gap = (from: number, to: number): string[] => {
  const noise = `noise=drop='between(pts*tb\\,${from}\\,${to})'`;
  return ['-bsf:v', noise, '-bsf:a', noise];
};

const FRAGMENTS = ['-movflags', 'frag_keyframe+empty_moov'];

const FFMPEG: readonly ContainerCase[] = [
  copied('plain.mp4', 'plain'),
  copied('bframes.mp4', 'bframes'),
  copied('open-gop.mp4', 'open'),
  copied('ntsc.mp4', 'ntsc'),
  copied('interlaced.mp4', 'interlaced'),
  copied('index-first.mp4', 'bframes', ['-movflags', 'faststart']),
  copied('no-edits.mp4', 'bframes', ['-use_editlist', '0']),
  copied('negative-offsets.mp4', 'bframes', ['-movflags', 'negative_cts_offsets']),
  copied('fragments.mp4', 'bframes', FRAGMENTS),
  copied('fragments-base.mp4', 'bframes', ['-movflags', 'frag_keyframe+empty_moov+default_base_moof']),
  copied('fragments-delayed.mp4', 'bframes', ['-movflags', 'frag_keyframe+delay_moov']),
  copied('fragments-each.mp4', 'plain', ['-movflags', 'frag_every_frame+empty_moov']),
  copied('fragments-apart.mp4', 'bframes', ['-movflags', 'frag_keyframe+empty_moov+separate_moof']),
  copied('fragments-first.mp4', 'bframes', ['-movflags', 'frag_keyframe']),
  copied('fragments-negative.mp4', 'bframes', ['-movflags', 'cmaf+negative_cts_offsets+frag_keyframe']),
  copied('fragments-time.mp4', 'ntsc', ['-movflags', 'empty_moov', '-frag_duration', '700000']),
  copied('dash.mp4', 'bframes', ['-movflags', 'dash+frag_keyframe', '-frag_duration', '1000000']),
  copied('timescale.mp4', 'bframes', ['-video_track_timescale', '90000', '-movie_timescale', '48000']),
  copied('cut-at-key.mp4', 'bframes', [], ['-ss', '2']),
  copied('cut-inside.mp4', 'bframes', [], ['-ss', '2.7']),
  copied('cut-little.mp4', 'bframes', [], ['-ss', '0.05']),
  apart('late-audio.mp4', [], ['-itsoffset', '0.4']),
  apart('late-video.mp4', ['-itsoffset', '0.4'], []),
  apart('early-audio.mp4', ['-itsoffset', '0.15'], ['-itsoffset', '0.05']),
  apart('negative-start.mp4', ['-itsoffset', '-0.5'], ['-itsoffset', '-0.5'], ['-avoid_negative_ts', 'disabled']),
  copied('later.mp4', 'bframes', ['-output_ts_offset', '3']),
  copied('gap.mp4', 'bframes', gap(2.5, 3.4)),
  copied('hevc-opus.mp4', 'hevc'),
  copied('av1-flac.mp4', 'av1', ['-strict', '-2']),
  copied('vp9-opus.mp4', 'vp9'),
  copied('mpeg4-mp3.mp4', 'mpeg4'),
  copied('ac3.mp4', 'ac3'),
  copied('video.mp4', 'video'),
  copied('audio.mp4', 'audio'),
  copied('two-tracks.mp4', 'bframes', ['-map', '0', '-map', '0']),
  {
    name: 'edited.mp4',
    make: (path, folder) => {
      runFfmpeg(['-i', sourceOf('plain', folder), '-c', 'copy', path]);
      const parts = [
        { fromS: 1, forS: 1.5 },
        { fromS: 4, forS: 2 },
      ];
      writeFileSync(path, withEdits(readFileSync(path), parts));
    },
  },
  copied('plain.mov', 'plain'),
  copied('bframes.mov', 'bframes'),
  copied('fragments.mov', 'bframes', FRAGMENTS),
  copied('cut-inside.mov', 'bframes', [], ['-ss', '2.7']),
  copied('pcm.mov', 'pcm'),
  copied('gap.mov', 'open', gap(1.5, 2.4)),
  copied('timecode.mov', 'plain', ['-timecode', '01:00:00:00']),
  copied('mpeg4-mp3.mov', 'mpeg4'),
  copied('plain.mkv', 'plain'),
  copied('bframes.mkv', 'bframes'),
  copied('open-gop.mkv', 'open'),
  copied('ntsc.mkv', 'ntsc'),
  copied('interlaced.mkv', 'interlaced'),
  copied('live.mkv', 'bframes', ['-live', '1']),
  copied('short-clusters.mkv', 'bframes', ['-cluster_time_limit', '200']),
  copied('index-first.mkv', 'bframes', ['-cues_to_front', '1']),
  copied('cut-inside.mkv', 'bframes', [], ['-ss', '2.7']),
  apart('late-audio.mkv', [], ['-itsoffset', '0.4']),
  apart('late-video.mkv', ['-itsoffset', '0.4'], []),
  apart('negative-start.mkv', ['-itsoffset', '-0.5'], ['-itsoffset', '-0.5']),
  copied('later.mkv', 'bframes', ['-output_ts_offset', '3']),
  copied('gap.mkv', 'bframes', gap(2.5, 3.4)),
  copied('hevc-opus.mkv', 'hevc'),
  copied('mpeg4-mp3.mkv', 'mpeg4'),
  copied('mpeg2-mp2.mkv', 'mpeg2'),
  copied('ac3.mkv', 'ac3'),
  copied('pcm.mkv', 'pcm'),
  copied('av1-flac.mkv', 'av1'),
  copied('video.mkv', 'video'),
  copied('audio.mkv', 'audio'),
  copied('two-tracks.mkv', 'bframes', ['-map', '0', '-map', '0']),
  copied('vp9-opus.webm', 'vp9'),
  copied('vp8-vorbis.webm', 'vp8'),
  copied('live.webm', 'vp8', ['-live', '1']),
  copied('plain.ts', 'plain'),
  copied('bframes.ts', 'bframes'),
  copied('open-gop.ts', 'open'),
  copied('ntsc.ts', 'ntsc'),
  copied('interlaced.ts', 'interlaced'),
  copied('m2ts.m2ts', 'bframes', ['-mpegts_m2ts_mode', '1']),
  copied('const-rate.ts', 'bframes', ['-muxrate', '2M']),
  copied('pes-lengths.ts', 'bframes', ['-omit_video_pes_length', '0']),
  copied('small-pes.ts', 'bframes', ['-pes_payload_size', '400']),
  copied('large-pes.ts', 'bframes', ['-pes_payload_size', '12000']),
  copied('latm.ts', 'bframes', ['-mpegts_flags', 'latm']),
  copied('headers-again.ts', 'bframes', ['-mpegts_flags', 'resend_headers+initial_discontinuity']),
  copied('no-delay.ts', 'bframes', ['-muxdelay', '0', '-muxpreload', '0']),
  copied('cut-inside.ts', 'bframes', [], ['-ss', '2.7']),
  apart('late-audio.ts', [], ['-itsoffset', '0.4']),
  apart('late-video.ts', ['-itsoffset', '0.4'], []),
  apart('negative-start.ts', ['-itsoffset', '-0.5'], ['-itsoffset', '-0.5'], ['-avoid_negative_ts', 'disabled']),
  copied('wrap.ts', 'bframes', ['-output_ts_offset', '95440']),
  copied('later.ts', 'bframes', ['-output_ts_offset', '3000']),
  copied('gap.ts', 'bframes', gap(2.5, 3.4)),
  copied('hevc-opus.ts', 'hevc'),
  copied('mpeg2-mp2.ts', 'mpeg2'),
  copied('ac3.ts', 'ac3'),
  copied('video.ts', 'video'),
  copied('audio.ts', 'audio'),
  copied('two-tracks.ts', 'bframes', ['-map', '0', '-map', '0']),
];

const GST_VIDEO = [
  'videotestsrc',
  'pattern=ball',
  'num-buffers=210',
  '!',
  'video/x-raw,width=640,height=360,framerate=30/1,format=I420',
];
const GST_AUDIO = [
  'audiotestsrc',
  'samplesperbuffer=1024',
  'num-buffers=328',
  '!',
  'audio/x-raw,rate=48000,channels=2',
];
const GST_H264 = ['x264enc', 'bitrate=900', 'key-int-max=60', 'speed-preset=ultrafast', '!', 'h264parse'];

function gstreamed(
  name: string,
  muxer: string,
  options: { readonly bframes?: number; readonly video?: readonly string[]; readonly audio?: readonly string[] } = {},
): ContainerCase {
  const video =
    options.video ??
    GST_H264.map((word) =>
      word === 'speed-preset=ultrafast' ? `speed-preset=ultrafast bframes=${options.bframes ?? 0} b-adapt=false` : word,
    )
      .join(' ')
      .split(' ');
  const audio = options.audio ?? ['voaacenc', 'bitrate=128000', '!', 'aacparse'];
  return {
    name,
    make: (path) => {
      const line = [
        ...GST_VIDEO,
        '!',
        ...video,
        '!',
        'mux.',
        ...GST_AUDIO,
        '!',
        ...audio,
        '!',
        'mux.',
        ...muxer.split(' '),
        'name=mux',
        '!',
        'filesink',
        `location=${path}`,
      ];
      execFileSync('gst-launch-1.0', ['-q', '-e', ...line], { stdio: ['ignore', 'ignore', 'pipe'] });
    },
  };
}

const GSTREAMER: readonly ContainerCase[] = [
  gstreamed('gst-plain.mp4', 'mp4mux'),
  gstreamed('gst-bframes.mp4', 'mp4mux', { bframes: 2 }),
  gstreamed('gst-index-first.mp4', 'mp4mux faststart=true', { bframes: 2 }),
  gstreamed('gst-fragments.mp4', 'mp4mux fragment-duration=1000', { bframes: 2 }),
  gstreamed('gst-fragments-live.mp4', 'mp4mux fragment-duration=500 streamable=true', { bframes: 2 }),
  gstreamed('gst-chunks.mp4', 'mp4mux fragment-duration=1000 fragment-mode=first-moov-then-finalise', { bframes: 2 }),
  gstreamed('gst-plain.mov', 'qtmux'),
  gstreamed('gst-bframes.mov', 'qtmux', { bframes: 2 }),
  gstreamed('gst-plain.mkv', 'matroskamux'),
  gstreamed('gst-bframes.mkv', 'matroskamux', { bframes: 2 }),
  gstreamed('gst-live.mkv', 'matroskamux streamable=true', { bframes: 2 }),
  gstreamed('gst-offset.mkv', 'matroskamux offset-to-zero=true min-cluster-duration=200000000', { bframes: 2 }),
  gstreamed('gst-vp8.webm', 'webmmux', { video: ['vp8enc', 'deadline=1', 'cpu-used=8'], audio: ['vorbisenc'] }),
  gstreamed('gst-live.webm', 'webmmux streamable=true', {
    video: ['vp8enc', 'deadline=1', 'cpu-used=8'],
    audio: ['opusenc'],
  }),
  gstreamed('gst-plain.ts', 'mpegtsmux'),
  gstreamed('gst-bframes.ts', 'mpegtsmux', { bframes: 2 }),
  gstreamed('gst-aligned.ts', 'mpegtsmux alignment=7', { bframes: 2 }),
  gstreamed('gst-rate.ts', 'mpegtsmux bitrate=2500000', { bframes: 2 }),
  gstreamed('gst-m2ts.m2ts', 'mpegtsmux m2ts-mode=true', { bframes: 2 }),
];

export const CONTAINER_CASES: readonly ContainerCase[] = [...FFMPEG, ...GSTREAMER];
