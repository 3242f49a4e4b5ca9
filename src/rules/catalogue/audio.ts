/** Rows 63xx: what the audio track breaks. */
import { LIVE } from '../../spec/live.js';
import { BIT_RATE, CLEARING } from '../../spec/tolerances.js';
import { type CatalogueEntry, entry, seconds } from '../catalogue-entry.js';

const AUDIO_SETTINGS = 'Live broadcast specification, audio settings';
const atHeader = { ms: 0, text: 'with the header that shows it' } as const;
const nextHeader = { how: 'header' } as const;
const inside = { how: 'window', insideMs: CLEARING.insideMs.value } as const;

export const AUDIO_ERRORS: readonly CatalogueEntry[] = [
  entry({
    code: 6301,
    type: 'AUDIO_CODEC_UNSUPPORTED',
    severity: 'error',
    title: 'Audio codec is not AAC',
    clause: `${AUDIO_SETTINGS}: Codec`,
    raisedWhen: 'The audio is not AAC.',
    clears: nextHeader,
    delay: { ms: 0, text: 'with the first packet of that codec' },
    sentence: 'The audio codec is {observed}; it must be {limit}.',
  }),
  entry({
    code: 6302,
    type: 'AUDIO_PROFILE_UNSUPPORTED',
    severity: 'error',
    title: 'AAC is not low complexity',
    clause: `${AUDIO_SETTINGS}: Codec`,
    raisedWhen:
      'The AAC header signals HE-AAC v1 or v2 (explicitly or backward compatibly), Main, LD or any other type than low complexity.',
    clears: nextHeader,
    delay: atHeader,
    sentence: 'The audio is {observed}; it must be {limit}.',
  }),
  entry({
    code: 6303,
    type: 'AUDIO_SAMPLE_RATE_UNSUPPORTED',
    severity: 'error',
    title: 'Audio sample rate is not 44.1 or 48 kHz',
    clause: `${AUDIO_SETTINGS}: Sample rate`,
    raisedWhen: 'The sample rate is not 44.1 or 48 kHz.',
    clears: nextHeader,
    delay: atHeader,
    unit: 'Hz',
    sentence: 'The audio sample rate is {observed}; it must be 44.1 kHz or 48 kHz.',
  }),
  entry({
    code: 6304,
    type: 'AUDIO_CHANNELS_NOT_STEREO',
    severity: 'error',
    title: 'Audio is not stereo',
    clause: `${AUDIO_SETTINGS}: Channel layout`,
    raisedWhen: 'The channel configuration is not 2. A program config element with one stereo pair is stereo.',
    clears: nextHeader,
    delay: atHeader,
    unit: 'channels',
    sentence: 'The audio has {observed}; it must be stereo.',
  }),
  entry({
    code: 6305,
    type: 'AUDIO_BITRATE_TOO_HIGH',
    severity: 'error',
    title: 'Audio bit rate above the maximum',
    clause: `${AUDIO_SETTINGS}: Bitrate`,
    raisedWhen: `The mean of 10 s is for ${seconds(BIT_RATE.audioHighHoldMs.value)} above ${LIVE.audio.bitrateKbps.max} kbps + 5 %.`,
    clears: inside,
    delay: { ms: BIT_RATE.windowMs.value + BIT_RATE.audioHighHoldMs.value + 100, text: 'after the rate rose' },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The audio bit rate is {observed}; the maximum is {limit}.',
  }),
  entry({
    code: 6306,
    type: 'AUDIO_BITRATE_ABOVE_PREFERRED',
    severity: 'warning',
    title: 'Audio bit rate above the preferred one',
    clause: `${AUDIO_SETTINGS}: Bitrate`,
    raisedWhen: `The mean of 10 s is for ${seconds(BIT_RATE.audioPreferredHoldMs.value)} above ${LIVE.audio.bitrateKbps.preferred} kbps + 10 %.`,
    clears: inside,
    delay: { ms: BIT_RATE.windowMs.value + BIT_RATE.audioPreferredHoldMs.value + 100, text: 'after the rate rose' },
    unit: 'kbps',
    worst: 'highest',
    sentence: 'The audio bit rate is {observed}; {limit} is preferred.',
  }),
];
