/** Captions and time codes in SEI messages. */
import { describe, expect, test } from '@jest/globals';
import { CAPTIONS_708, CAPTIONS_FIELD_1, CAPTIONS_FIELD_2 } from '../../../../src/media/h264/caption-data.js';
import { readPictureTiming } from '../../../../src/media/h264/picture-timing.js';
import { SeiReader } from '../../../../src/media/h264/sei.js';
import { parseSps } from '../../../../src/media/h264/sps.js';
import type { Vui } from '../../../../src/media/h264/vui.js';
import {
  type ClockFields,
  captionSei,
  PADDING_608,
  PADDING_708,
  pictureTiming,
  TEXT_608,
  TEXT_708,
  type Triple,
} from '../../../support/caption-writer.js';
import { buildSps, sei, type VuiFields } from '../../../support/h264-writer.js';

function captionsOf(nal: Uint8Array): SeiReader['captions'] {
  const reader = new SeiReader();
  reader.read(nal.subarray(1), nal.length - 1, false);
  return reader.captions;
}

const vuiOf = (vui: VuiFields): Vui => parseSps(buildSps({ vui })).vui as Vui;
const codeOf = (clock: ClockFields, vui: Vui) => {
  const payload = pictureTiming(clock);
  return readPictureTiming(payload, 0, payload.length, vui);
};

describe('closed captions', () => {
  test.each<[string, readonly Triple[], number, number]>([
    ['text', [TEXT_608], CAPTIONS_FIELD_1, CAPTIONS_FIELD_1],
    ['padding', [PADDING_608, PADDING_708], CAPTIONS_FIELD_1 | CAPTIONS_708, 0],
    ['a packet of CEA-708', [PADDING_608, TEXT_708], CAPTIONS_FIELD_1 | CAPTIONS_708, CAPTIONS_708],
    ['program information in field 2', [[0xfd, 0x01, 0x83]], CAPTIONS_FIELD_2, 0],
    ['a control code in field 2', [[0xfd, 0x94, 0x20]], CAPTIONS_FIELD_2, CAPTIONS_FIELD_2],
    ['a pair that is not valid', [[0xf8, 0xc8, 0x49]], 0, 0],
  ])('%s', (_name, triples, present, live) => {
    expect(captionsOf(captionSei(triples))).toMatchObject({ present, live, damaged: 0 });
  });

  test('a pair with wrong parity is damaged, not text', () => {
    expect(captionsOf(captionSei([[0xfc, 0x48, 0x49]]))).toMatchObject({ live: 0, damaged: 1 });
  });

  test('a message that is cut, of another provider, or not to be processed is no caption', () => {
    const nal = captionSei([TEXT_608, TEXT_708]);
    // Type and size, 8 bytes that name the message, flags, and two triples.
    for (let size = 0; size < 2 + 8 + 2 + 6; size++) {
      const reader = new SeiReader();
      reader.read(nal.subarray(1), size, false);
      expect(reader.captions.present).toBe(0);
    }
    expect(captionsOf(sei(4, Uint8Array.of(0xb5, 0, 0x2f, 3, 0x41, 0xff, ...TEXT_608, 0xff))).present).toBe(0);
    const payload = [0xb5, 0, 0x31, 0x47, 0x41, 0x39, 0x34, 3, 0x01, 0xff, ...TEXT_608, 0xff];
    expect(captionsOf(sei(4, Uint8Array.from(payload))).present).toBe(0);
  });
});

describe('time codes of pictures', () => {
  const timing = { numUnitsInTick: 1, timeScale: 60 };
  const vui = vuiOf({ picStructPresent: true, timing });
  const clock = { hours: 10, minutes: 59, seconds: 58, frames: 29 };

  test('reads a full timestamp, with and without the delays of an HRD', () => {
    expect(codeOf(clock, vui)).toMatchObject({ ...clock, isDropFrame: false, framesPerSecond: 30 });
    const entries = [{ bitrateValueMinus1: 99, cpbSizeValueMinus1: 199, cbr: true }];
    const withHrd = vuiOf({ picStructPresent: true, timing, nalHrd: { entries } });
    expect(codeOf({ ...clock, delayBits: 24 }, withHrd)).toMatchObject(clock);
  });

  test('reads one without full_timestamp_flag as far as its fields are sent', () => {
    expect(codeOf({ ...clock, isPartial: true }, vui)).toMatchObject({ ...clock, periodMs: 86_400_000 });
    expect(codeOf({ ...clock, hours: 0, isPartial: true }, vui)).toMatchObject({ minutes: 59, periodMs: 3_600_000 });
    expect(codeOf({ seconds: 5, isPartial: true }, vui)).toMatchObject({ seconds: 5, periodMs: 60_000 });
    expect(codeOf({ frames: 7, isPartial: true }, vui)).toMatchObject({ frames: 7, periodMs: 1_000 });
  });

  test('reads drop frame counting and a restart', () => {
    expect(codeOf({ ...clock, countingType: 4, isRestart: true }, vui)).toMatchObject({
      isDropFrame: true,
      isRestart: true,
    });
  });

  test('gives none for what it cannot compare', () => {
    expect(codeOf({ ...clock, countingType: 2 }, vui)).toBeUndefined();
    expect(codeOf({ ...clock, minutes: 60 }, vui)).toBeUndefined();
    expect(codeOf(clock, vuiOf({ timing }))).toBeUndefined();
    expect(readPictureTiming(pictureTiming(clock), 0, 3, vui)).toBeUndefined();
    expect(readPictureTiming(Uint8Array.of(0xf0, 0), 0, 2, vui)).toBeUndefined();
  });
});
