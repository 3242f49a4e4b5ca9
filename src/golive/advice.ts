/** Advice for faults that no answer can repair, because OBS takes it from the user's own settings: a sentence each, with the place of the setting. */
import { LIVE } from '../spec/live.js';
import { FRAME_RATE } from '../spec/tolerances.js';
import { type EncoderPlan, isWideScreen, type LastBroadcast, LEAST_VIDEO_KBPS } from './plan.js';
import { smallestProfile } from './profile-choice.js';
import { fps, type GoLiveRequest } from './request.js';

/** A rate this close to its class is that class: 59.94 is 60. */
const SAME_RATE = 0.01;
const RATES: readonly number[] = LIVE.audio.sampleRatesHz;

export function adviceFor(request: GoLiveRequest, plan: EncoderPlan, last: LastBroadcast = {}): readonly string[] {
  return [...audioAdvice(request), ...pictureAdvice(request, plan), ...bitrateAdvice(request, plan, last)];
}

function audioAdvice({ audio }: GoLiveRequest): string[] {
  if (audio === undefined) return [];
  const advice: string[] = [];
  if (audio.channels !== LIVE.audio.channels) {
    const sent = audio.channels === 1 ? 'mono' : `${audio.channels} channels`;
    advice.push(
      `Audio is ${sent}; the specification requires stereo. Set Settings > Audio > General > Channels to Stereo and restart OBS.`,
    );
  }
  if (!RATES.includes(audio.sampleRateHz)) {
    const allowed = RATES.map((rate) => rate / 1000).join(' or ');
    advice.push(
      `The audio sample rate is ${audio.sampleRateHz / 1000} kHz; the specification allows ${allowed} kHz. Set Settings > Audio > General > Sample Rate to 48 kHz and restart OBS.`,
    );
  }
  return advice;
}

function pictureAdvice({ canvas }: GoLiveRequest, { frameRate }: EncoderPlan): string[] {
  const advice: string[] = [];
  if (!isWideScreen(canvas)) {
    advice.push(
      `The canvas is ${canvas.canvasWidth}x${canvas.canvasHeight}, which is not ${LIVE.aspectRatio.width}:${LIVE.aspectRatio.height}. Set Settings > Video > Base (Canvas) Resolution to 1920x1080 or 1280x720.`,
    );
  }
  const rate = fps(frameRate);
  if (rate > FRAME_RATE.settleFps.value && Math.abs(rate / 60 - 1) > SAME_RATE) {
    advice.push(
      `The canvas runs at ${shown(fps(canvas.frameRate))} fps, and OBS can send ${shown(rate)} fps of it; the specification names 30 and 60 fps. Set Settings > Video > Common FPS Values to 60 or 30.`,
    );
  }
  return advice;
}

/** Why there are no settings: what the user allows leaves too little for a picture. Undefined: it does not. */
export function bandwidthRefusal({ maxAggregateKbps }: GoLiveRequest): string | undefined {
  const audioKbps = LIVE.audio.bitrateKbps.preferred;
  if (maxAggregateKbps === undefined || maxAggregateKbps - audioKbps >= LEAST_VIDEO_KBPS) return undefined;
  const { name, videoBitrateKbps } = smallestProfile();
  const needed = videoBitrateKbps.min + audioKbps;
  return `Settings > Stream > Maximum Streaming Bandwidth is ${maxAggregateKbps} kbps; the smallest profile, ${name}, needs ${needed} kbps with its audio. Raise it, or set it to Auto.`;
}

function bitrateAdvice(
  { maxAggregateKbps = Number.POSITIVE_INFINITY }: GoLiveRequest,
  { videoKbps, profile }: EncoderPlan,
  { uplinkVideoKbps = Number.POSITIVE_INFINITY }: LastBroadcast,
): string[] {
  const { min } = profile.videoBitrateKbps;
  if (videoKbps >= min) return [];
  if (uplinkVideoKbps <= maxAggregateKbps) {
    return [
      `By the last broadcast, the uplink carries ${Math.floor(uplinkVideoKbps)} kbps of video; the smallest profile, ${profile.name}, needs ${min} kbps. Use a faster or wired connection.`,
    ];
  }
  return [
    `Settings > Stream > Maximum Streaming Bandwidth leaves ${videoKbps} kbps for video; the smallest profile, ${profile.name}, needs ${min} kbps. Raise it, or set it to Auto.`,
  ];
}

const shown = (rate: number): string => String(Number(rate.toFixed(2)));
