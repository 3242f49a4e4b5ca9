/** 6217: onMetaData agrees with the stream. Its values are often wrong, so this is recorded but not pushed to the encoder. */
import { AUDIO_CONFIG, METADATA, VIDEO_CONFIG } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { codecName } from '../../spec/codec-names.js';
import { PICTURE } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { codecFromClaim } from '../codec-claims.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

interface Difference {
  readonly claimed: string;
  readonly found: string;
}

/** Claims that the bit stream contradicts; empty when all comparable claims agree; undefined when none is comparable. */
function differences({ metadata, video, audio }: StreamFacts): Difference[] | undefined {
  const found: Difference[] = [];
  let compared = 0;
  const compare = (claimed: string | undefined, actual: string, agrees: boolean): void => {
    if (claimed === undefined) return;
    compared++;
    if (!agrees) found.push({ claimed, found: actual });
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
  return compared === 0 ? undefined : found;
}

const list = (facts: StreamFacts, side: keyof Difference): string =>
  (differences(facts) ?? []).map((difference) => difference[side]).join(', ');

export const metadataMatches: LiveRule = {
  entry: entry({
    code: 6217,
    type: 'METADATA_MISMATCH',
    severity: 'info',
    title: 'Metadata contradicts the stream',
    passes: 'Metadata as the stream',
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
    const found = differences(facts);
    if (found === undefined) return SKIP;
    return found.length > 0 ? FAIL_NOW : PASS;
  },
  observed: (facts) => list(facts, 'claimed'),
  limit: (facts) => list(facts, 'found'),
};
