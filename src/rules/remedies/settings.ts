/**
 * The settings that mend broken rules, with their numbers: as options for ffmpeg, as elements for GStreamer, as fields of OBS.
 * Remedies are the text beside them. Pure; runs in a browser, too.
 */
import { LIVE, type LiveProfile } from '../../spec/live.js';
import { CAUSES } from '../../spec/tolerances.js';
import { bitrateRange, isListedAt30Only } from '../profile.js';
import { OBS } from './labels.js';
import { FFMPEG, GSTREAMER } from './option-names.js';

type Setting =
  | 'aspect'
  | 'audioBitrate'
  | 'audioCodec'
  | 'audioSync'
  | 'bitrate'
  | 'channels'
  | 'closedGop'
  | 'constant'
  | 'frameRate'
  | 'gop'
  | 'level'
  | 'oneTrack'
  | 'pixelFormat'
  | 'progressive'
  | 'sampleRate'
  | 'sceneCut'
  | 'size'
  | 'videoCodec';

/** Settings that mend each rule. A rule that no setting mends, or one without a number, is absent: its remedy says what to do. */
const MENDED_BY: Readonly<Record<number, readonly Setting[]>> = {
  6201: ['videoCodec'],
  6202: ['level'],
  6203: ['level'],
  6204: ['size'],
  6205: ['size'],
  6206: ['frameRate', 'gop'],
  6207: ['aspect'],
  6208: ['gop'],
  6209: ['gop'],
  6210: ['bitrate'],
  6211: ['bitrate', 'constant'],
  6212: ['progressive'],
  6213: ['pixelFormat'],
  6214: ['closedGop'],
  6215: ['gop', 'sceneCut'],
  6216: ['oneTrack'],
  6223: ['bitrate', 'constant'],
  6301: ['audioCodec'],
  6302: ['audioCodec'],
  6303: ['sampleRate'],
  6304: ['channels'],
  6305: ['audioBitrate'],
  6306: ['audioBitrate'],
  6405: ['audioSync'],
  6902: ['bitrate'],
  6903: ['bitrate'],
};

const TOO_LOW = 6211;
const UPLINK = new Set([6902, 6903]);

export interface BrokenRule {
  readonly error_code: number;
  readonly observed?: unknown;
  readonly limit?: unknown;
}

/** The stream as it is sent; what is not known is left out. */
export interface SentStream {
  readonly width?: number;
  readonly height?: number;
  readonly frame_rate?: number;
  readonly frame_rate_class?: 30 | 60;
  readonly video_bitrate_kbps?: number;
  readonly audio_bitrate_kbps?: number;
}

/** Numbers for what must change. */
export interface Target {
  readonly settings: ReadonlySet<Setting>;
  readonly width: number;
  readonly height: number;
  readonly fps: 30 | 60;
  readonly videoKbps: number;
  readonly audioKbps: number;
  readonly sampleRate: number;
  readonly keyFrameSeconds: number;
}

const SAMPLE_RATE = Math.max(...LIVE.audio.sampleRatesHz);

export function targetFor(broken: readonly BrokenRule[], sent: SentStream): Target {
  const settings = new Set(broken.flatMap(({ error_code: code }) => MENDED_BY[code] ?? []));
  const wanted = sent.frame_rate_class ?? ((sent.frame_rate ?? 30) > 45 ? 60 : 30);
  const { width, height } = sizeFor(settings, sent, wanted);
  const fps = isListedAt30Only(width, height) ? 30 : wanted;
  const range = bitrateRange(width, height, fps);
  // Another size has another range.
  if (isResized(settings) && !isWithin(sent.video_bitrate_kbps, range)) settings.add('bitrate');
  return {
    settings,
    width,
    height,
    fps,
    videoKbps: videoKbpsFor(broken, sent, range),
    audioKbps: LIVE.audio.bitrateKbps.preferred,
    sampleRate: SAMPLE_RATE,
    keyFrameSeconds: LIVE.keyFrameInterval.recommendedMs / 1_000,
  };
}

interface Range {
  readonly minKbps: number;
  readonly maxKbps: number;
}

const isResized = (settings: ReadonlySet<Setting>): boolean => settings.has('size') || settings.has('aspect');

const isWithin = (kbps: number | undefined, { minKbps, maxKbps }: Range): boolean =>
  kbps === undefined || (kbps >= minKbps && kbps <= maxKbps);

/** Keeps the sent size, or takes the largest listed one that is not larger. */
function sizeFor(settings: ReadonlySet<Setting>, sent: SentStream, fps: 30 | 60): { width: number; height: number } {
  const { width, height } = sent;
  const isKnown = width !== undefined && height !== undefined;
  if (isKnown && !isResized(settings)) return { width, height };
  const rows = LIVE.profiles.filter((row) => row.fps === undefined || row.fps === fps || !hasRate(row, fps));
  return rows.find((row) => row.height <= (height ?? 720)) ?? rows.at(-1) ?? { width: 1_280, height: 720 };
}

/** Whether the size of the row is listed at this rate. */
function hasRate({ width, height }: LiveProfile, fps: 30 | 60): boolean {
  return LIVE.profiles.some((row) => row.width === width && row.height === height && row.fps === fps);
}

/** Share of the allowed maximum: an encoder exceeds its setting for moments. */
const BELOW_MAX = 0.9;
const STEP_KBPS = 50;
const stepped = (kbps: number): number => Math.max(STEP_KBPS, Math.floor(kbps / STEP_KBPS) * STEP_KBPS);

/** Inside the range: its middle for a rate that is too low, just below its end for one that is too high, less for a small uplink. */
function videoKbpsFor(
  broken: readonly BrokenRule[],
  { video_bitrate_kbps: sentKbps, audio_bitrate_kbps: audioKbps = LIVE.audio.bitrateKbps.preferred }: SentStream,
  { minKbps, maxKbps }: Range,
): number {
  const most = stepped(BELOW_MAX * maxKbps);
  const middle = stepped((minKbps + maxKbps) / 2);
  const isLow = broken.some(({ error_code: code }) => code === TOO_LOW);
  const chosen = isLow || sentKbps === undefined ? middle : Math.min(most, Math.max(minKbps, stepped(sentKbps)));
  const carried = broken.flatMap(({ error_code: code, observed }) =>
    UPLINK.has(code) && typeof observed === 'number' ? [CAUSES.targetFactor.value * observed - audioKbps] : [],
  );
  return Math.max(minKbps, Math.min(chosen, ...carried.map(stepped)));
}

const levelOf = (fps: 30 | 60): string => (LIVE.videoCodec.maxLevelTimes10[fps] / 10).toFixed(1);

/** Output options, with their numbers; '' if no option mends anything. They may stand after the present ones: the last one counts. */
export function ffmpegOptions({ settings, ...to }: Target): string {
  const f = FFMPEG.settings;
  const kbps = `${to.videoKbps}k`;
  const has = (each: Setting): boolean => settings.has(each);
  const size = `${to.width}:${to.height}`;
  const filters = [
    ...(has('progressive') ? [f.yadif] : []),
    ...(has('aspect')
      ? [`${f.scale}=${size}:force_original_aspect_ratio=decrease,${f.pad}=${size}:-1:-1,${f.setSar}=1`]
      : has('size')
        ? [`${f.scale}=${size}`]
        : []),
  ].join(',');
  const x264 = [...(has('constant') ? ['nal-hrd=cbr'] : []), ...(has('closedGop') ? ['open-gop=0'] : [])].join(':');
  return [
    ...(has('oneTrack') ? [`${f.map} 0:v:0 ${f.map} 0:a:0`] : []),
    ...(has('videoCodec') ? [`${f.videoCodec} libx264`] : []),
    ...(filters === '' ? [] : [`${f.videoFilter} "${filters}"`]),
    ...(has('frameRate') ? [`${f.rate} ${to.fps}`] : []),
    ...(has('pixelFormat') ? [`${f.pixelFormat} yuv420p`] : []),
    ...(has('level') ? [`${f.level} ${levelOf(to.fps)}`] : []),
    ...(has('bitrate') ? [`${f.videoBitrate} ${kbps}`] : []),
    ...(has('constant') ? [`-minrate ${kbps}`] : []),
    ...(has('bitrate') ? [`${f.maxRate} ${kbps} ${f.bufferSize} ${kbps}`] : []),
    ...(has('gop') ? [`${f.gop} ${to.fps * to.keyFrameSeconds}`] : []),
    ...(has('sceneCut') ? [`${f.sceneCut} 0`] : []),
    ...(x264 === '' ? [] : [`${f.x264Params} ${x264}`]),
    ...(has('audioCodec') ? [`${f.audioCodec} aac ${f.audioProfile} aac_low`] : []),
    ...(has('audioBitrate') ? [`${f.audioBitrate} ${to.audioKbps}k`] : []),
    ...(has('sampleRate') ? [`${f.sampleRate} ${to.sampleRate}`] : []),
    ...(has('channels') ? [`${f.channels} ${LIVE.audio.channels}`] : []),
    ...(has('audioSync') ? [`${f.audioFilter} ${f.resample}=async=1`] : []),
  ].join(' ');
}

/** The video and the audio part of a pipeline, each a line; of a part that must not change, none. */
export function gstreamerElements({ settings, ...to }: Target): string {
  const g = GSTREAMER.settings;
  const has = (...each: Setting[]): boolean => each.some((one) => settings.has(one));
  const raw = [
    ...(has('size', 'aspect') ? [`${g.width}=${to.width},${g.height}=${to.height}`] : []),
    ...(has('aspect') ? [`${g.pixelAspect}=1/1`] : []),
    ...(has('frameRate') ? [`${g.framerate}=${to.fps}/1`] : []),
    ...(has('pixelFormat') ? [`${g.format}=I420`] : []),
  ];
  const options = [
    ...(has('constant') ? ['nal-hrd=cbr'] : []),
    ...(has('bitrate', 'constant') ? [`vbv-maxrate=${to.videoKbps}:vbv-bufsize=${to.videoKbps}`] : []),
    ...(has('sceneCut') ? ['scenecut=0'] : []),
    ...(has('closedGop') ? ['open-gop=0'] : []),
  ].join(':');
  const encoder = [
    ...(has('bitrate') ? [`${g.bitrate}=${to.videoKbps}`] : []),
    ...(has('gop') ? [`${g.keyFrames}=${to.fps * to.keyFrameSeconds}`] : []),
    ...(has('progressive') ? [`${g.interlaced}=false`] : []),
    ...(options === '' ? [] : [`${g.optionString}="${options}"`]),
  ];
  const video = [
    ...(has('progressive') ? [g.deinterlace] : []),
    ...(has('size', 'aspect') ? [`${g.videoScale}${has('aspect') ? ` ${g.addBorders}=true` : ''}`] : []),
    ...(has('frameRate') ? [g.videoRate] : []),
    ...(has('pixelFormat') ? [g.videoConvert] : []),
    ...(raw.length === 0 ? [] : [[g.rawVideo, ...raw].join(',')]),
    ...(encoder.length === 0 && !has('videoCodec', 'level') ? [] : [[g.x264, ...encoder].join(' ')]),
    ...(has('level') ? [`${g.h264},${g.level}=(string)${levelOf(to.fps)}`] : []),
  ];
  const sound = [
    ...(has('sampleRate') ? [`${g.rate}=${to.sampleRate}`] : []),
    ...(has('channels') ? [`${g.channels}=${LIVE.audio.channels}`] : []),
  ];
  const audio = [
    ...(has('channels') ? [g.audioConvert] : []),
    ...(has('sampleRate') ? [g.audioResample] : []),
    ...(sound.length === 0 ? [] : [[g.rawAudio, ...sound].join(',')]),
    ...(has('audioCodec', 'audioBitrate')
      ? [`${g.aac}${has('audioBitrate') ? ` ${g.bitrate}=${to.audioKbps * 1_000}` : ''}`]
      : []),
  ];
  return [video, audio].flatMap((part) => (part.length === 0 ? [] : [part.join(' ! ')])).join('\n');
}

export interface ObsField {
  /** `Settings > Output > Streaming` */
  readonly place: string;
  readonly field: string;
  readonly value: string;
}

/** In the order of the windows. */
export function obsFields({ settings, ...to }: Target): readonly ObsField[] {
  const { places, settings: s, advanced } = OBS;
  const at = (...path: string[]): string => [places.settings, ...path].join(' > ');
  const has = (...each: Setting[]): boolean => each.some((one) => settings.has(one));
  const streaming = at(places.output, 'Streaming');
  const size = `${to.width}x${to.height}`;
  const x264 = [...(has('sceneCut') ? ['scenecut=0'] : []), ...(has('closedGop') ? ['open-gop=0'] : [])].join(' ');
  const rows: (readonly [boolean, string, string, string])[] = [
    [has('oneTrack'), at(places.stream), s.multitrack, 'off'],
    [has('bitrate', 'constant', 'gop', 'closedGop', 'level'), at(places.output), s.outputMode, places.advanced],
    [has('videoCodec'), streaming, s.videoEncoder, 'x264'],
    [has('bitrate', 'constant'), streaming, advanced.rateControl, 'CBR'],
    [has('bitrate'), streaming, advanced.bitrate, `${to.videoKbps} Kbps`],
    [has('gop'), streaming, advanced.keyframeInterval, `${to.keyFrameSeconds} s`],
    [x264 !== '', streaming, advanced.x264Options, x264],
    [has('level'), streaming, advanced.x264Options, 'without level='],
    [has('audioCodec'), streaming, s.audioEncoder, 'FFmpeg AAC'],
    [has('audioBitrate'), at(places.output, places.audio, places.track1), s.audioBitrate, String(to.audioKbps)],
    [has('sampleRate'), at(places.audio), s.sampleRate, `${to.sampleRate / 1_000} kHz`],
    [has('channels'), at(places.audio), s.channels, 'Stereo'],
    [has('aspect'), at(places.video), s.baseResolution, size],
    [has('size', 'aspect'), at(places.video), s.scaledResolution, size],
    [has('frameRate'), at(places.video), s.commonFps, String(to.fps)],
    [has('pixelFormat'), at(places.advanced), s.colorFormat, 'NV12'],
    [has('audioSync'), `${places.edit} > ${places.advancedAudio}`, s.syncOffset, '0 ms'],
  ];
  return rows.flatMap(([isNeeded, place, field, value]) => (isNeeded ? [{ place, field, value }] : []));
}
