import { setupSentence } from '../../../src/dashboard/web/shared/setup-sentence.js';

const setup = { client: 'obs-studio 32', width: 1280, height: 720, frame_rate: 30, video_bitrate_kbps: 2_750 };

test('names the time, or the change that undid it', () => {
  const time = '2026-03-01T12:04:00+0000';
  expect(setupSentence({ ...setup, time, configured: true })).toMatch(/^Set up by Airlock at .*04/);
  expect(setupSentence({ ...setup, time, configured: false })).toContain('Settings > Stream was changed');
});
