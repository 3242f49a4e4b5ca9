/** 6217: onMetaData agrees with the stream. Its values are often wrong, so this is recorded but not pushed to the encoder. */
import { AUDIO_CONFIG, METADATA, VIDEO_CONFIG } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { codecName } from '../../spec/codec-names.js';
import { PICTURE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { codecFromClaim } from '../codec-claims.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

interface Claim {
  readonly claimed: string;
  readonly found: string;
  readonly agrees: boolean;
}

/** The claims that can be compared with the bit stream. */
function claims({ metadata, video, audio }: StreamFacts): Claim[] {
  const compared: Claim[] = [];
  const compare = (claimed: string | undefined, actual: string, agrees: boolean): void => {
    if (claimed !== undefined) compared.push({ claimed, found: actual, agrees });
  };
  if (video.codec !== '' && metadata.videoCodec !== undefined) {
    const claim = codecFromClaim(metadata.videoCodec);
    compare(codecName(claim), codecName(video.codec), claim === video.codec);
  }
  if (video.hasParameterSets && metadata.width !== undefined && metadata.height !== undefined) {
    const { width, height } = metadata;
    const slack = PICTURE.sizeSlack.value;
    const fits = (w: number): boolean => Math.abs(width - w) <= slack && Math.abs(height - video.height) <= slack;
    const agrees = fits(video.width) || fits(video.width * video.sampleAspect);
    compare(`${width}x${height}`, `${video.width}x${video.height}`, agrees);
  }
  if (audio.codec !== '' && metadata.audioCodec !== undefined) {
    const claim = codecFromClaim(metadata.audioCodec);
    compare(codecName(claim), codecName(audio.codec), claim === audio.codec);
  }
  if (audio.hasSettings && metadata.sampleRate !== undefined) {
    const { sampleRate } = metadata;
    // Encoders state the core rate or the output rate; implicit HE-AAC may double the rate.
    const agrees = [audio.sampleRate, audio.coreSampleRate, audio.mayBeExtended ? 2 * audio.sampleRate : 0];
    compare(`${sampleRate} Hz`, `${audio.sampleRate} Hz`, agrees.includes(sampleRate));
  }
  if (audio.hasSettings && audio.channels > 0 && metadata.channels !== undefined) {
    const { channels } = metadata;
    const mayBeStereo = audio.outputChannels === 0 || (audio.mayBeExtended && audio.channels === 1);
    const agrees = channels === audio.channels || channels === audio.outputChannels || (mayBeStereo && channels === 2);
    compare(`${metadata.channels} channels`, `${audio.channels} channels`, agrees);
  }
  return compared;
}

/** Those that the bit stream contradicts; all while none is contradicted. */
function list(facts: StreamFacts, side: 'claimed' | 'found'): string {
  const compared = claims(facts);
  const contradicted = compared.filter(({ agrees }) => !agrees);
  return (contradicted.length > 0 ? contradicted : compared).map((claim) => claim[side]).join(', ');
}

export const metadataMatches: LiveRule = {
  entry: entry({
    code: 6217,
    type: 'METADATA_MISMATCH',
    severity: 'info',
    title: 'Metadata contradicts the stream',
    passes: 'Metadata as the stream',
    row: 'video-format',
    clause: `${CLAUSES.rule} 3`,
    raisedWhen:
      'The onMetaData message states a codec, size, sample rate or number of channels that the stream does not have. Values that implicit HE-AAC would explain are accepted.',
    clears: CLEARS.nextHeader,
    delay: { ms: 0, text: 'when both are known' },
    pushed: false,
    sentence: 'The metadata says {observed}, but the stream has {limit}.',
    hasLists: true,
  }),
  remedy: 'Restart the encoder after changing its settings.',
  events: METADATA | VIDEO_CONFIG | AUDIO_CONFIG,
  check(facts) {
    const compared = claims(facts);
    if (compared.length === 0) return SKIP;
    return compared.every(({ agrees }) => agrees) ? PASS : FAIL_NOW;
  },
  observed: (facts) => list(facts, 'claimed'),
  limit: (facts) => list(facts, 'found'),
};
