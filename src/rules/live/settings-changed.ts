/** 6403: the settings stay the same from going LIVE, across reconnects. Compares parsed fields, not header bytes. */
import { AUDIO_CONFIG, GO_LIVE, RATE_CLASS, VIDEO_CONFIG } from '../../facts/measures/events.js';
import { differingSettings, SETTING_NAMES, type SettingName, type StreamSettings } from '../../facts/settings-facts.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { codecName } from '../../spec/codec-names.js';
import { h264LevelName } from '../../spec/h264-levels.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, type LiveRule, PASS, SKIP } from '../rule.js';

function changes(facts: StreamFacts): SettingName[] {
  return differingSettings(facts.settings.first, facts.settings.now);
}

function describe(settings: StreamSettings, names: readonly SettingName[]): string {
  const parts: string[] = [];
  const say = (name: SettingName, text: string): void => {
    if (names.includes(name)) parts.push(text);
  };
  say('videoCodec', codecName(settings.videoCodec ?? ''));
  if (names.includes('width') || names.includes('height')) parts.push(`${settings.width}x${settings.height}`);
  say('videoProfile', `${settings.videoProfile} profile`);
  say('videoLevelTimes10', `level ${h264LevelName(settings.videoLevelTimes10 ?? 0)}`);
  say('sampleAspect', `sample aspect ${Number((settings.sampleAspect ?? 1).toFixed(3))}`);
  say('frameRateClass', `${settings.frameRateClass} fps class`);
  say('audioCodec', codecName(settings.audioCodec ?? ''));
  say('audioObjectType', `${settings.audioObjectType}`);
  say('sampleRate', `${settings.sampleRate} Hz`);
  say('channels', `${settings.channels} audio channel${settings.channels === 1 ? '' : 's'}`);
  return parts.join(', ');
}

/** Text of the settings, or only of those that differ. */
function said(facts: StreamFacts, which: 'first' | 'now'): string {
  const differing = changes(facts);
  const settings = facts.settings[which];
  const known = SETTING_NAMES.filter((name) => settings[name] !== undefined);
  return describe(settings, differing.length > 0 ? differing : known);
}

/** Names in `changes` of a record. */
const WIRE_NAMES: Readonly<Record<SettingName, string>> = {
  videoCodec: 'video_codec',
  videoProfile: 'video_profile',
  videoLevelTimes10: 'video_level',
  width: 'width',
  height: 'height',
  sampleAspect: 'sample_aspect',
  frameRateClass: 'frame_rate_class',
  audioCodec: 'audio_codec',
  audioObjectType: 'audio_profile',
  sampleRate: 'sample_rate',
  channels: 'channels',
};

function shown(name: SettingName, value: string | number | undefined): string | number {
  if (value === undefined) return '';
  if (name === 'videoLevelTimes10') return h264LevelName(Number(value));
  if (name === 'sampleAspect') return Number(Number(value).toFixed(3));
  return name === 'videoCodec' || name === 'audioCodec' ? codecName(String(value)) : value;
}

export const settingsChanged: LiveRule = {
  entry: entry({
    code: 6403,
    type: 'SETTINGS_CHANGED',
    severity: 'error',
    title: 'Settings changed during the broadcast',
    passes: 'Constant settings',
    row: 'settings',
    perTrack: true,
    clause: `${CLAUSES.rule} 4`,
    raisedWhen:
      'Codec, profile, level, size, sample aspect ratio, frame-rate class, sample rate, channels or audio object type differ from those at going LIVE, also after a reconnect. Fewer frames under the same header are another class only if nine in ten frame intervals over 10 s are within 10 % of the new one; else they are missing (6408).',
    clears: CLEARS.settings,
    delay: {
      ms: 13_100,
      text: 'with the first picture after the header that shows the change, or when the frame-rate class changes',
    },
    sentence: 'Settings changed during the broadcast: now {observed}, at the start {limit}.',
    hasLists: true,
  }),
  remedy: 'Keep the initial settings; end the broadcast before changing them.',
  events: VIDEO_CONFIG | AUDIO_CONFIG | RATE_CLASS | GO_LIVE,
  check(facts) {
    if (facts.video.awaitsPicture || (facts.video.codec === '' && facts.audio.codec === '')) return SKIP;
    return changes(facts).length > 0 ? FAIL_NOW : PASS;
  },
  observed: (facts) => said(facts, 'now'),
  limit: (facts) => said(facts, 'first'),
  changes: (facts) =>
    changes(facts).map((name) => ({
      setting: WIRE_NAMES[name],
      before: shown(name, facts.settings.first[name]),
      after: shown(name, facts.settings.now[name]),
    })),
};
