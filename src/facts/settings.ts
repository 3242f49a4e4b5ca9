/** Settings of a stream that must not change after it goes LIVE. Plain data; a field is absent while unknown. */

export interface StreamSettings {
  videoCodec?: string;
  /** Name with constraint flags applied: 'High', 'Constrained Baseline'. */
  videoProfile?: string;
  videoLevelTimes10?: number;
  width?: number;
  height?: number;
  /** Sample aspect ratio, width / height. */
  sampleAspect?: number;
  frameRateClass?: 30 | 60;
  audioCodec?: string;
  audioObjectType?: string;
  sampleRate?: number;
  channels?: number;
}

export type SettingName = keyof StreamSettings;

export const SETTING_NAMES: readonly SettingName[] = [
  'videoCodec',
  'videoProfile',
  'videoLevelTimes10',
  'width',
  'height',
  'sampleAspect',
  'frameRateClass',
  'audioCodec',
  'audioObjectType',
  'sampleRate',
  'channels',
];

/** Fields of `now` that are known in both and differ. */
export function differingSettings(first: StreamSettings, now: StreamSettings): SettingName[] {
  return SETTING_NAMES.filter(
    (name) => first[name] !== undefined && now[name] !== undefined && first[name] !== now[name],
  );
}
