/** In which settings the input stream that stands by differs from the one on air (6508). */
import type { SettingChange } from '../spec/error-record.js';
import type { ObservedHealth } from './judge-types.js';

type Compared =
  | 'videoCodec'
  | 'profileIdc'
  | 'width'
  | 'height'
  | 'frameRateClass'
  | 'keyFrameIntervalMs'
  | 'videoBitrateKbps'
  | 'audioCodec'
  | 'audioBitrateKbps'
  | 'sampleRate'
  | 'channels';

/** A difference of bitrates or key frame intervals up to this share is that of two measurements. */
const VARIES_BY = 0.1;

/** Settings by their name in `changes`. `varies`: up to a share of the one on air, by nature. */
const COMPARED: readonly (readonly [setting: string, name: Compared, varies: boolean])[] = [
  ['video_codec', 'videoCodec', false],
  ['video_profile', 'profileIdc', false],
  ['width', 'width', false],
  ['height', 'height', false],
  ['frame_rate_class', 'frameRateClass', false],
  ['key_frame_interval', 'keyFrameIntervalMs', true],
  ['video_bitrate', 'videoBitrateKbps', true],
  ['audio_codec', 'audioCodec', false],
  ['audio_bitrate', 'audioBitrateKbps', true],
  ['sample_rate', 'sampleRate', false],
  ['channels', 'channels', false],
];

/** `before` is on air, `after` stands by. What is not known of both is left out. */
export function inputDifferences(
  onAir: Pick<ObservedHealth, Compared>,
  standby: Pick<ObservedHealth, Compared>,
): SettingChange[] {
  return COMPARED.flatMap(([setting, name, varies]) => {
    const [before, after] = [rounded(onAir[name]), rounded(standby[name])];
    if (before === undefined || after === undefined || before === after) return [];
    const isClose = varies && Math.abs(Number(after) - Number(before)) <= Number(before) * VARIES_BY;
    return isClose ? [] : [{ setting, before, after }];
  });
}

const rounded = (value: string | number | undefined) => (typeof value === 'number' ? Math.round(value) : value);

/** One phrase a setting, for the sentence of the record. */
export const saidDifferences = (changes: readonly SettingChange[]): string =>
  changes.map(({ setting, before, after }) => `${setting.replaceAll('_', ' ')} ${after} for ${before}`).join(', ');
