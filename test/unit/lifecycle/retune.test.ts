/** When a running encoder can be given other settings. */
import { expect, test } from '@jest/globals';
import type { LiveVideoData } from '../../../src/lifecycle/documents.js';
import { isRetuning, retuneOf, whyNotRetuned } from '../../../src/lifecycle/retune.js';

const SETUP = {
  configId: 'airlock-1',
  atMs: 0,
  ownerId: '1',
  client: 'obs-studio 32.2.2+ds-1',
  width: 1280,
  height: 720,
  fps: 30,
  videoKbps: 2_750,
};
const LIVE: LiveVideoData = {
  ownerId: '1',
  ownerKind: 'page',
  videoId: '2',
  status: 'LIVE',
  goLiveOnData: false,
  keyVersion: 1,
  stopOnDeleteStream: false,
  stream: 'connected',
  encoderSetup: SETUP,
  isSetUp: true,
};

const why = (changes: Partial<LiveVideoData>, graceMs = 60_000) =>
  whyNotRetuned({ ...LIVE, ...changes }, { wallMs: 1_000, graceMs });

test.each(['31.1.0', '31.1.2-rc1', '32.0', '32.2.2+ds-1', '33.0.0', '100.1'])('OBS %s asks again', (version) => {
  expect(why({ encoderSetup: { ...SETUP, client: `obs-studio ${version}` } })).toBeUndefined();
});

test.each(['30.2.3', '31.0.4', '3.1', '29.1'])('OBS %s does not', (version) => {
  expect(why({ encoderSetup: { ...SETUP, client: `obs-studio ${version}` } })).toContain('OBS 31.1 or newer does');
});

test.each([
  ['a broadcast that is not LIVE', { status: 'UNPUBLISHED' }, 'only a LIVE one'],
  ['a lost connection', { stream: 'interrupted' }, 'No encoder is connected'],
  ['an encoder with settings of its own', { isSetUp: false }, 'did not get its settings from this server'],
  ['a change under way', { retune: { configId: 'airlock-1', untilMs: 2_000 } }, 'already'],
] as const)('%s is refused', (_name, changes, reason) => {
  expect(why(changes)).toContain(reason);
});

test('a grace time that ends the broadcast meanwhile is refused, with the time', () => {
  expect(why({}, 59_000)).toContain('end after 59 s');
});

test('the old settings are refused for longer than OBS tries them, and for less than the grace time', () => {
  const retune = retuneOf(LIVE, 1_000);
  if (retune === undefined) throw new Error('no settings to replace');
  expect(retune.configId).toBe('airlock-1');
  expect(isRetuning({ ...LIVE, retune }, 1_000 + 45_000)).toBe(true);
  expect(isRetuning({ ...LIVE, retune }, 1_000 + 55_000)).toBe(false);
});
