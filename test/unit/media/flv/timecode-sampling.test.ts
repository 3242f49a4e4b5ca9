/** Which time codes are read depends on the frames of the stream, not on how their bytes arrive. */
import { SliceList } from '../../../../src/bytes/slices.js';
import { TagParser } from '../../../../src/media/flv/tag-parser.js';
import { timecodeNal, withNal } from '../../../support/caption-writer.js';
import { avcFrame, avcSequenceHeader } from '../../../support/flv-writer.js';
import { buildAvcc, buildSps, lengthPrefixed, type SpsFields, sei, slice } from '../../../support/h264-writer.js';
import { pieces } from '../../../support/pieces.js';

const FRAME_MS = 40;
const CLOCKED: SpsFields = { vui: { timing: { numUnitsInTick: 1, timeScale: 50 }, picStructPresent: true } };
const HEADER = avcSequenceHeader(buildAvcc({ sps: [buildSps(CLOCKED)] }));
const RECOVERY = sei(6, Uint8Array.of(0x40));

/** A key frame every 50 frames. Some frames have another message before the time code, so that they are walked. */
function frames(): Uint8Array[] {
  return Array.from({ length: 200 }, (_, index) => {
    const key = index % 50 === 0;
    const plain = avcFrame(lengthPrefixed([slice({ idr: key })]), { key });
    const clocked = withNal(plain, timecodeNal(index * FRAME_MS, { fps: 25, jumps_ms: [], frames: 0 }));
    return index % 3 === 0 ? withNal(clocked, RECOVERY) : clocked;
  });
}

/** Indices of the frames of which the time code was read. */
function sampled(arrival: (body: Uint8Array, index: number) => SliceList): number[] {
  const parser = new TagParser({ analysis: true });
  parser.parseVideo(SliceList.of(HEADER), 0);
  return frames().flatMap((body, index) => {
    parser.parseVideo(arrival(body, index), index * FRAME_MS);
    return parser.video.timecode === undefined ? [] : [index];
  });
}

test('reads key frames and one inter frame in 16, however the frames arrive', () => {
  const whole = sampled((body) => SliceList.of(body));
  expect(whole.slice(0, 6)).toEqual([0, 16, 32, 48, 50, 65]);
  expect(whole).toHaveLength(4 + 12);
  expect(sampled((body) => pieces(body, 7))).toEqual(whole);
  expect(sampled((body, index) => (index % 2 === 0 ? SliceList.of(body) : pieces(body, 20)))).toEqual(whole);
});
