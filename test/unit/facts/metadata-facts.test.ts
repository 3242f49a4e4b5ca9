/** Claims of onMetaData, in the forms that encoders use. */
import { expect, test } from '@jest/globals';
import { readMetadata } from '../../../src/facts/data/metadata-facts.js';

test.each([
  [7, 'avc1'],
  [2, 'sorenson-h263'],
  ['avc1', 'avc1'],
  [828_601_953, 'avc1'],
  [0x61766331, 'avc1'],
  [0x68766331, 'hvc1'],
  [9, 'id 9'],
  [0, undefined],
  [-1, undefined],
  [7.5, undefined],
  [Number.NaN, undefined],
  [null, undefined],
  ['', undefined],
])('reads videocodecid %p', (videocodecid, claim) => {
  expect(readMetadata({ videocodecid }).videoCodec).toBe(claim);
});

test.each([
  [10, 'mp4a'],
  ['mp4a', 'mp4a'],
  [2, '.mp3'],
  [0x6d703461, 'mp4a'],
])('reads audiocodecid %p', (audiocodecid, claim) => {
  expect(readMetadata({ audiocodecid }).audioCodec).toBe(claim);
});

test('reads channels from the number or the stereo flag', () => {
  expect(readMetadata({ stereo: true }).channels).toBe(2);
  expect(readMetadata({ stereo: false }).channels).toBeUndefined();
  expect(readMetadata({ audiochannels: 6, stereo: true }).channels).toBe(6);
});

test.each([[undefined], [null], [7], ['onMetaData'], [[]], [[1, 2]]])('%p claims nothing', (value) => {
  expect(Object.values(readMetadata(value)).every((claim) => claim === undefined)).toBe(true);
});

test('reads a list that ends with an object, a map, and an object without prototype', () => {
  expect(readMetadata(['onMetaData', { width: 640 }]).width).toBe(640);
  expect(readMetadata(new Map([['width', 640]])).width).toBe(640);
  expect(readMetadata(Object.assign(Object.create(null), { width: 640 })).width).toBe(640);
  // Inherited properties are ignored.
  expect(readMetadata(Object.create({ width: 640 })).width).toBeUndefined();
});
