import { describe, expect, test } from '@jest/globals';
import { timecodeText } from '../../../../src/judge/judge-views.js';
import { readSpliceInfo } from '../../../../src/media/data/splice-info.js';
import { timecodeOf } from '../../../../src/media/data/timecode.js';
import { readTimedData } from '../../../../src/media/data/timed-data.js';
import { spliceInsert, spliceSection } from '../../../support/caption-writer.js';

/** A section of a broadcaster, from the examples of ANSI/SCTE 35 (14.1, time_signal). */
const TIME_SIGNAL = '/DA0AAAAAAAA///wBQb+cr0AUAAeAhxDVUVJSAAAjn/PAAGlmbAICAAAAAAsoKGKNAIAmsnRfg==';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

describe('SCTE 35', () => {
  test('reads a published example', () => {
    expect(readSpliceInfo(Buffer.from(TIME_SIGNAL, 'base64'))).toEqual({
      fault: '',
      command: 'time_signal',
      isOut: undefined,
    });
  });

  test('reads the direction of a splice_insert, unless it is cancelled', () => {
    expect(readSpliceInfo(spliceInsert({ isOut: true }))).toMatchObject({ command: 'splice_insert', isOut: true });
    expect(readSpliceInfo(spliceInsert({ isOut: false }))).toMatchObject({ isOut: false });
    expect(readSpliceInfo(spliceInsert({ isCancelled: true }))).toMatchObject({ fault: '', isOut: undefined });
  });

  test('names what is wrong with a section', () => {
    const good = spliceInsert();
    const flipped = good.slice();
    flipped[15] = (flipped[15] as number) ^ 1;
    expect(readSpliceInfo(flipped)?.fault).toBe('CRC-32');
    expect(readSpliceInfo(good.subarray(0, good.length - 1))?.fault).toBe('length');
    expect(readSpliceInfo(Uint8Array.of(0xfc, 0x30, 3, 0, 0, 0))?.fault).toBe('length');
    expect(readSpliceInfo(spliceSection(9, []))?.fault).toBe('command');
    expect(readSpliceInfo(Uint8Array.of(0x47, 0x30, 3))).toBeUndefined();
    expect(readSpliceInfo(new Uint8Array(0))).toBeUndefined();
  });
});

describe('data messages', () => {
  test('finds a section in base64 or hexadecimal digits at any place of a cue point', () => {
    const section = spliceInsert();
    const hex = `0x${Buffer.from(section).toString('hex')}`;
    for (const text of [base64(section), hex]) {
      const found = readTimedData('onCuePoint', [{ name: 'scte35', parameters: { data: text } }]);
      expect(found).toMatchObject({ kind: 'cues', name: 'onCuePoint', splice: { command: 'splice_insert' } });
    }
  });

  test('takes a handler that is not known for a cue only with a section', () => {
    expect(readTimedData('onAnything', [{ text: 'x' }])).toBeUndefined();
    expect(readTimedData('onAnything', [TIME_SIGNAL])).toMatchObject({ kind: 'cues', name: 'other' });
  });

  test('stops at a depth and a number of values', () => {
    const deep = { a: { b: { c: { d: TIME_SIGNAL } } } };
    expect(readTimedData('onCuePoint', [deep])?.splice).toBeUndefined();
    const many = [...Array.from({ length: 100 }, () => 'x'), TIME_SIGNAL];
    expect(readTimedData('onCuePoint', many)?.splice).toBeUndefined();
    expect(readTimedData('onCuePoint', ['/DA'.repeat(100_000)])?.splice).toBeUndefined();
  });

  test('counts texts, captions and cues by their handlers', () => {
    expect(readTimedData('onTextData', [{ text: 'Hi' }])).toMatchObject({ kind: 'text', name: 'onTextData' });
    expect(readTimedData('onCaptionInfo', [{ type: '708' }])).toMatchObject({ kind: 'captions' });
    expect(readTimedData('onCuePoint', [{ name: 'chapter' }])).toMatchObject({ kind: 'cues', splice: undefined });
  });

  test('prefers the SMPTE time code of onFI to its time of day', () => {
    const both = readTimedData('onFI', [{ sd: '15-01-2026', st: '12:00:00.500', tc: '10:00:00;04' }]);
    expect(both?.timecode).toMatchObject({ hours: 10, frames: 4, isDropFrame: true });
    expect(readTimedData('onFI', [{ st: '12:00:00.5' }])?.timecode).toMatchObject({ hours: 12, fractionMs: 500 });
    expect(readTimedData('onTimecode', ['01:02:03:04'])?.timecode).toMatchObject({ seconds: 3, frames: 4 });
    expect(readTimedData('onTimecode', [7])?.timecode).toBeUndefined();
  });

  test.each(['24:00:00:00', '10:60:00:00', '10:00:00:123', 'noon', '', '1'.repeat(50)])(
    '"%s" is no time code',
    (text) => {
      expect(timecodeOf(text)).toBeUndefined();
    },
  );

  test.each(['01:02:03:04', '01:02:03;04', '01:02:03.040'])('writes "%s" as it was read', (text) => {
    expect(timecodeText(timecodeOf(text) as NonNullable<ReturnType<typeof timecodeOf>>)).toBe(text);
  });
});
