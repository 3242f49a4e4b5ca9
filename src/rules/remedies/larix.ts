/** Remedies for Larix Broadcaster, a mobile app. */

import type { Remedies } from './labels.js';
import { LARIX } from './labels.js';

const { places } = LARIX;
const names = { ...LARIX.standard, ...LARIX.settings };
const CONNECTION = `In Larix, ${places.settings} > ${places.connections}`;
const VIDEO = `In Larix, ${places.settings} > ${places.video}`;
const AUDIO = `In Larix, ${places.settings} > ${places.audio}`;
const LOWER_BITRATE = `${VIDEO}: set the ${names.videoBitrate} to {target}, or turn ${names.adaptiveBitrate} on.`;

export const LARIX_REMEDIES: Remedies = {
  6101: `${CONNECTION} > ${names.url}: use the address that begins with rtmps://.`,
  6201: `${VIDEO}: set the ${names.videoCodec} to H.264 (AVC).`,
  6202: `${VIDEO}: the phone chooses the ${names.level}; set the ${names.resolution} to 1920x1080 or less.`,
  6203: `${VIDEO}: the phone chooses the ${names.level}; set a smaller ${names.resolution} or a lower ${names.frameRate}.`,
  6204: `${VIDEO}: set the ${names.resolution} to 1920x1080 or less.`,
  6205: `${VIDEO}: set the ${names.resolution} to one of these sizes.`,
  6206: `${VIDEO}: set the ${names.frameRate} to 30 or 60 (30 for 480p).`,
  6207: `${VIDEO}: set a 16:9 ${names.resolution}, and hold the phone sideways.`,
  6208: `${VIDEO}: set the ${names.keyFrameInterval} to 2 seconds.`,
  6209: `${VIDEO}: set the ${names.keyFrameInterval} to 2 seconds.`,
  6210: `${VIDEO}: set a lower ${names.videoBitrate}.`,
  6211: `${VIDEO}: set a higher ${names.videoBitrate} and turn ${names.adaptiveBitrate} off.`,
  6212: `${VIDEO}: use a camera of the phone, or turn ${names.deinterlacing} on in the external one.`,
  6213: `${VIDEO}: set the ${names.profile} to main or baseline, without HDR.`,
  6214: `${VIDEO}: set the ${names.keyFrameInterval} to 2 seconds and the ${names.profile} to main.`,
  6215: `${VIDEO}: set the ${names.keyFrameInterval} to 2 seconds.`,
  6216: `${CONNECTION}: keep one connection with this ${names.url}.`,
  6301: `${AUDIO}: set the ${names.audioCodec} to AAC.`,
  6302: `${AUDIO}: set the ${names.audioCodec} to AAC-LC, and the ${names.audioBitrate} to 128 kbps.`,
  6303: `${AUDIO}: set the ${names.sampleRate} to 48000.`,
  6304: `${AUDIO}: set two ${names.channels} (stereo).`,
  6305: `${AUDIO}: set the ${names.audioBitrate} to 128 kbps.`,
  6306: `${AUDIO}: set the ${names.audioBitrate} to 128 kbps.`,
  6401: `${CONNECTION}: the connection with this ${names.url} must send audio and video.`,
  6402: `${CONNECTION}: the connection with this ${names.url} must send audio and video.`,
  6405: `${AUDIO}: set any ${names.audioDelay} to 0 and restart the stream.`,
  6406: `${VIDEO}: set a lower ${names.videoBitrate}, or turn ${names.adaptiveBitrate} on.`,
  6408: `${VIDEO}: set a smaller ${names.resolution} or a lower ${names.frameRate}.`,
  6902: LOWER_BITRATE,
  6903: LOWER_BITRATE,
  6905: `${VIDEO}: set a smaller ${names.resolution} or a lower ${names.frameRate}.`,
};
