/** Display names of codecs, known and unknown. */
import { audioCodecOfFormat, codecOfFourCc, videoCodecOfId } from '../../../src/media/flv/codecs.js';
import { codecName, isNamedCodec } from '../../../src/spec/codec-names.js';

const IDS = Array.from({ length: 16 }, (_, id) => id);

test('every known codec id, sound format and FourCC has a name', () => {
  const fourCcs = ['avc1', 'hvc1', 'vvc1', 'av01', 'vp08', 'vp09', 'mp4a', '.mp3', 'Opus', 'fLaC', 'ac-3', 'ec-3'];
  const known = [...IDS.map(videoCodecOfId), ...IDS.map(audioCodecOfFormat), ...fourCcs].filter(
    (codec) => !codec.startsWith('unknown:'),
  );
  expect(known.length).toBeGreaterThan(30);
  expect(known.filter((codec) => !isNamedCodec(codec))).toEqual([]);
});

test.each([
  ['avc1', 'H.264'],
  ['.mp3', 'MP3'],
  [videoCodecOfId(11), 'codec id 11 (unknown)'],
  [codecOfFourCc(0x64766831), 'dvh1 (unknown codec)'],
  [codecOfFourCc(0x61622020), 'ab (unknown codec)'],
  [codecOfFourCc(0x715a3721), '0x715a3721 (unknown codec)'],
  [codecOfFourCc(0xdeadbeef), '0xdeadbeef (unknown codec)'],
])('%s is called %s', (codec, name) => {
  expect(codecName(codec)).toBe(name);
});
