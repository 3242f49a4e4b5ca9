import { PICTURE_TURNS } from '../../../src/broadcasts/limits.js';
import { PictureTap } from '../../../src/broadcasts/picture-tap.js';
import { PictureTurns } from '../../../src/broadcasts/picture-turns.js';
import { SliceList } from '../../../src/bytes/slices.js';
import { avcFrame, avcSequenceHeader } from '../../support/flv-writer.js';
import { buildAvcc, buildPps, buildSps, lengthPrefixed, slice } from '../../support/h264-writer.js';

const HEADER = SliceList.of(avcSequenceHeader(buildAvcc({ sps: [buildSps()], pps: [buildPps()] })));
const KEY_FRAME = SliceList.of(avcFrame(lengthPrefixed([slice({ idr: true, size: 300 })]), { key: true }));

function harness(picture: (flv: Uint8Array) => Promise<Uint8Array>, hasRoom = true, turns?: PictureTurns) {
  const given: [number, Uint8Array | undefined][] = [];
  let settled: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    settled = resolve;
  });
  const subject = {
    wantsPicture: () => true,
    wantsSample: () => false,
    askPicture: () => 7,
    picture: (number: number, gray: Uint8Array | undefined) => {
      given.push([number, gray]);
      settled();
    },
  };
  const sent: Uint8Array[] = [];
  const decoder = {
    hasRoomForPicture: hasRoom,
    picture: (flv: Uint8Array) => {
      sent.push(flv);
      return picture(flv);
    },
  };
  const tap = new PictureTap(subject, decoder, turns);
  return { tap, subject, sent, given, answered };
}

test('sends the sequence header and the key frame as an FLV file, and hands back the picture', async () => {
  const gray = Uint8Array.of(1, 2, 3);
  const { tap, subject, sent, given, answered } = harness(async () => gray);
  tap.packet('video', 0, HEADER);
  tap.packet('audio', 0, SliceList.of(Uint8Array.of(0xaf, 1)));
  expect(sent).toEqual([]);
  tap.packet('video', 40, KEY_FRAME);
  await answered;
  expect(given).toEqual([[7, gray]]);
  expect(Buffer.from(sent[0] ?? []).toString('latin1', 0, 3)).toBe('FLV');
  expect(sent[0]?.length).toBe(13 + 2 * 15 + HEADER.length + KEY_FRAME.length);
  subject.wantsPicture = () => false;
  expect(tap.isIdle).toBe(true);
});

test('a key frame that was not decoded is handed back without a picture', async () => {
  const failing = harness(() => Promise.reject(new Error('damaged')));
  failing.tap.packet('video', 0, HEADER);
  failing.tap.packet('video', 40, KEY_FRAME);
  await failing.answered;
  expect(failing.given).toEqual([[7, undefined]]);

  const busy = harness(async () => Uint8Array.of(1), false);
  busy.tap.packet('video', 0, HEADER);
  busy.tap.packet('video', 40, KEY_FRAME);
  expect([busy.given, busy.sent]).toEqual([[[7, undefined]], []]);

  const headless = harness(async () => Uint8Array.of(1));
  headless.tap.packet('video', 40, KEY_FRAME);
  expect([headless.given, headless.sent]).toEqual([[[7, undefined]], []]);
});

test('a sample waits for its turn, idle, and a picture that rules need waits for none', () => {
  const turns = new PictureTurns(() => 0);
  const others = Array.from({ length: PICTURE_TURNS.atOnce }, () => ({}));
  for (const other of others) turns.isNext(other);
  const { tap, subject, sent } = harness(async () => Uint8Array.of(1), true, turns);
  tap.packet('video', 0, HEADER);
  expect(tap.isIdle).toBe(false);
  subject.wantsSample = () => true;
  expect(tap.isIdle).toBe(true);
  tap.packet('video', 40, KEY_FRAME);
  expect(sent).toEqual([]);
  turns.leave(others[0] ?? {});
  expect(tap.isIdle).toBe(false);
  tap.packet('video', 80, KEY_FRAME);
  expect(sent).toHaveLength(1);
});
