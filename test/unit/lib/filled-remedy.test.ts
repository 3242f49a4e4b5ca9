import { filledRemedy } from '../../../src/lib/filled-remedy.js';

test('a remedy that depends on the frame rate has one value where it is known', () => {
  const remedy = 'With ffmpeg: -g 60 at 30 fps (-g 120 at 60 fps).';
  expect(filledRemedy(remedy, 30)).toBe('With ffmpeg: -g 60.');
  expect(filledRemedy(remedy, 60)).toBe('With ffmpeg: -g 120.');
  expect(filledRemedy(remedy, undefined)).toBe(remedy);
  expect(filledRemedy('Set Channels to Stereo.', 60)).toBe('Set Channels to Stereo.');
});
