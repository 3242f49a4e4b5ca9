/** The answer to OBS: encoder settings and address, or a dialog. A message for the user is always HTTP 200 with `status`. */

import { sentencesWithin } from '../lib/text.js';
import { escapeHtml } from '../lib/visible.js';
import { LIVE } from '../spec/live.js';
import { adviceFor } from './advice.js';
import { encoderFor } from './encoders.js';
import { type EncoderPlan, type EncoderWishes, type LastBroadcast, plansFor } from './plan.js';
import type { GoLiveRequest } from './request.js';

export interface GoLiveAnswer {
  readonly meta: { readonly service: string; readonly schema_version: string; readonly config_id: string };
  /** Absent: success. */
  readonly status?: { readonly result: 'warning' | 'error'; readonly html_en_us: string };
  readonly ingest_endpoints: readonly { readonly protocol: string; readonly url_template: string }[];
  readonly encoder_configurations: readonly EncoderConfiguration[];
  readonly audio_configurations: {
    readonly live: readonly AudioConfiguration[];
    readonly vod?: readonly AudioConfiguration[];
  };
}

interface EncoderConfiguration {
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly framerate: { readonly numerator: number; readonly denominator: number };
  readonly gpu_scale_type: string;
  readonly colorspace: string;
  readonly range: string;
  readonly format: string;
  readonly canvas_index: number;
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

interface AudioConfiguration {
  readonly codec: string;
  readonly track_id: number;
  readonly channels: number;
  readonly settings: { readonly bitrate: number };
}

export interface Setup {
  readonly configId: string;
  /** `rtmps://host:port/live/` */
  readonly streamUrlBase: string;
  readonly wishes?: EncoderWishes;
  /** Without a warning: OBS may have asked by itself, and would wait for a click before it streams again. */
  readonly isQuiet?: boolean;
  readonly last?: LastBroadcast & {
    /** Its open faults, as far as no answer repairs them. */
    readonly findings?: readonly string[];
  };
}

export interface Answered {
  readonly answer: GoLiveAnswer;
  /** By video track. */
  readonly plans: readonly [EncoderPlan, ...EncoderPlan[]];
  readonly audioTracks: number;
}

export function answerTo(request: GoLiveRequest, setup: Setup): Answered {
  const plans = plansFor(request, setup.wishes, setup.last);
  const [plan] = plans;
  const advice = setup.isQuiet ? [] : adviceFor(request, plan, setup.last);
  const html = warningText(advice, setup.isQuiet ? [] : (setup.last?.findings ?? []));
  const answer: GoLiveAnswer = {
    meta: metaOf(request, setup.configId),
    ...(html === undefined ? {} : { status: { result: 'warning', html_en_us: html } }),
    // OBS 31 and later skip the protocol RTMPS when the profile says `auto`; the scheme of the URL decides about TLS.
    ingest_endpoints: [{ protocol: 'RTMP', url_template: `${setup.streamUrlBase.replace(/\/+$/, '')}/{stream_key}` }],
    encoder_configurations: plans.map((each) => configurationOf(request, each)),
    audio_configurations: {
      live: [audioOf(request, plan, 1)],
      ...(request.wantsVodAudio ? { vod: [audioOf(request, plan, 2)] } : {}),
    },
  };
  return { answer, plans, audioTracks: request.wantsVodAudio ? 2 : 1 };
}

/** Shows `html` in a dialog and starts no stream. */
export function refusalAnswer(request: Pick<GoLiveRequest, 'service' | 'schemaVersion'>, html: string): GoLiveAnswer {
  return {
    meta: metaOf(request, 'refused'),
    status: { result: 'error', html_en_us: html },
    ingest_endpoints: [],
    encoder_configurations: [],
    audio_configurations: { live: [] },
  };
}

function metaOf({ service, schemaVersion }: Pick<GoLiveRequest, 'service' | 'schemaVersion'>, configId: string) {
  return { service, schema_version: schemaVersion, config_id: configId };
}

function configurationOf(request: GoLiveRequest, plan: EncoderPlan): EncoderConfiguration {
  return {
    ...encoderFor(request, plan),
    width: plan.width,
    height: plan.height,
    framerate: plan.frameRate,
    gpu_scale_type: 'OBS_SCALE_BICUBIC',
    // OBS 31.1 and later follow these three: 4:2:0 with 8 bits, whatever the user's settings are.
    colorspace: 'VIDEO_CS_709',
    range: 'VIDEO_RANGE_PARTIAL',
    format: 'VIDEO_FORMAT_NV12',
    canvas_index: 0,
  };
}

/**
 * OBS follows the bitrate only. For fewer channels than the user has, OBS would show a dialog of its own without a way to
 * continue, so the user's number is returned; the warning names the fault.
 */
function audioOf({ audio }: GoLiveRequest, { audioKbps }: EncoderPlan, trackId: number): AudioConfiguration {
  return {
    codec: 'ffmpeg_aac',
    track_id: trackId,
    channels: Math.max(LIVE.audio.channels, audio?.channels ?? 0),
    settings: { bitrate: audioKbps },
  };
}

/** Items of a dialog, which Qt shows as HTML: texts of users are escaped. Six items of two lines fit a screen of 720 lines. */
const MAX_ITEMS = 6;
const MAX_ITEM_BYTES = 300;

/** Undefined when there is nothing to tell. OBS appends "Do you want to continue streaming?". */
function warningText(advice: readonly string[], lastFindings: readonly string[]): string | undefined {
  const parts = [
    ...section('This server sets the encoder up, but OBS takes these settings from you:', advice),
    ...section('The last broadcast had these faults:', lastFindings),
  ];
  return parts.length === 0 ? undefined : parts.join('');
}

/** `reason`: what the encoder of a refused publish is sent too. */
export function refusalText(reason: string): string {
  return `<p>${escapeHtml(sentencesWithin(reason, MAX_ITEM_BYTES))}</p>`;
}

function section(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const shown = items
    .slice(0, MAX_ITEMS)
    .map((item) => `<li>${escapeHtml(sentencesWithin(item, MAX_ITEM_BYTES))}</li>`);
  return [`<p>${title}</p><ul>${shown.join('')}</ul>`];
}
