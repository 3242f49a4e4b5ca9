import { SliceList } from '../../../../src/bytes/slices.js';
import { WireError } from '../../../../src/bytes/wire-error.js';
import { amfObject } from '../../../../src/rtmp/amf/amf-value.js';
import { encodeAmf0 } from '../../../../src/rtmp/amf/amf0-encoder.js';
import { DEFAULT_AMF_LIMITS } from '../../../../src/rtmp/limits.js';
import { AggregateSplitter } from '../../../../src/rtmp/messages/aggregate.js';
import { readCommand, readDataMessage, statusObject } from '../../../../src/rtmp/messages/command.js';
import { readConnect } from '../../../../src/rtmp/messages/connect.js';
import {
  readUserControl,
  setPeerBandwidthBody,
  u32Body,
  userControlBody,
} from '../../../../src/rtmp/messages/control.js';
import { endsSoon } from '../../../support/ends-soon.js';
import { type Heard, heard, hex, pieces } from '../peers.js';

describe('control bodies (RTMP 1.0 5.4, 7.1.7)', () => {
  test('are big-endian', () => {
    expect(u32Body(0x01020304)).toEqual(hex('01020304'));
    expect(setPeerBandwidthBody(2_500_000, 2)).toEqual(hex('002625a0 02'));
    expect(userControlBody(7, 0xfffffffe)).toEqual(hex('0007 fffffffe'));
  });

  test('refuse an event without a type and accept one without an argument', () => {
    expect(() => readUserControl(SliceList.of(hex('00')))).toThrow(WireError);
    expect(readUserControl(SliceList.of(hex('0006')))).toEqual({ eventType: 6, argument: 0 });
    expect(readUserControl(SliceList.of(hex('00'), hex('07ab'), hex('cdef01')))).toEqual({
      eventType: 7,
      argument: 0xabcdef01,
    });
  });
});

describe('commands', () => {
  test('are read from pieces, with and without the AMF3 format byte', () => {
    const body = encodeAmf0('publish', 5, null, 'key', 'live');
    const wanted = { name: 'publish', transactionId: 5, object: null, args: ['key', 'live'] };
    expect(readCommand(20, SliceList.of(...pieces(body, 3)), DEFAULT_AMF_LIMITS)).toEqual(wanted);
    expect(readCommand(17, SliceList.of(hex('00'), body), DEFAULT_AMF_LIMITS)).toEqual(wanted);
    expect(readCommand(17, SliceList.of(body), DEFAULT_AMF_LIMITS)).toEqual(wanted);
  });

  test('read a missing or invalid transaction ID as 0', () => {
    expect(readCommand(20, SliceList.of(encodeAmf0('x')), DEFAULT_AMF_LIMITS)).toMatchObject({ transactionId: 0 });
    expect(readCommand(20, SliceList.of(encodeAmf0('x', Number.NaN)), DEFAULT_AMF_LIMITS)).toMatchObject({
      transactionId: 0,
    });
  });

  test('are refused without a name', () => {
    expect(() => readCommand(20, SliceList.of(encodeAmf0(1)), DEFAULT_AMF_LIMITS)).toThrow(WireError);
  });
});

test('data messages lose @setDataFrame, and bodies beyond the bound are refused', () => {
  const body = encodeAmf0('@setDataFrame', 'onMetaData', { width: 1 });
  expect(readDataMessage(18, SliceList.of(body), DEFAULT_AMF_LIMITS, 1000)).toEqual({
    name: 'onMetaData',
    values: [{ width: 1 }],
  });
  expect(readDataMessage(15, SliceList.of(hex('00'), encodeAmf0('onFI', 1)), DEFAULT_AMF_LIMITS, 1000)).toEqual({
    name: 'onFI',
    values: [1],
  });
  expect(() => readDataMessage(18, SliceList.of(body), DEFAULT_AMF_LIMITS, body.length - 1)).toThrow(WireError);
  expect(() => readDataMessage(18, SliceList.of(encodeAmf0('@setDataFrame')), DEFAULT_AMF_LIMITS, 99)).toThrow(
    WireError,
  );
});

test('connect without an object has empty strings', () => {
  expect(readConnect({ name: 'connect', transactionId: 1, object: null, args: [] })).toMatchObject({
    app: '',
    tcUrl: '',
    flashVer: '',
    objectEncoding: 0,
  });
});

test.each([
  ['//live/', 'live'],
  ['a//b', 'a//b'],
  ['///', ''],
])('connect trims the slashes of the app %s', (given, app) => {
  const object = amfObject({ app: given });
  expect(readConnect({ name: 'connect', transactionId: 1, object, args: [] }).app).toBe(app);
});

test('connect reads an app of a million slashes in linear time', () => {
  const app = `x${'/'.repeat(1_000_000)}x`;
  const object = amfObject({ app });
  const read = endsSoon(() => readConnect({ name: 'connect', transactionId: 1, object, args: [] }));
  expect(read.app === app).toBe(true);
});

describe('status objects', () => {
  test('keep complete sentences of a description, which is never empty', () => {
    expect(statusObject({ level: 'error', code: 'X.Y', description: '' })).toMatchObject({ description: 'X.Y' });
    expect(statusObject({ level: 'error', code: 'X.Y', description: `Yes. ${'no '.repeat(90)}` })).toMatchObject({
      description: 'Yes.',
    });
  });

  test('have extra fields after the three standard ones', () => {
    const info = statusObject({ error_code: 6208, level: 'warning', id: 'a', code: 'C', description: 'D' });
    expect(Object.entries(info)).toEqual([
      ['level', 'warning'],
      ['code', 'C'],
      ['description', 'D'],
      ['error_code', 6208],
      ['id', 'a'],
    ]);
  });
});

describe('aggregates (RTMP 1.0 7.1.6)', () => {
  const tag = (type: string, time: string, body: string, extension = '00') => {
    const size = hex(body).length.toString(16).padStart(6, '0');
    const all = (hex(body).length + 11).toString(16).padStart(8, '0');
    return `${type} ${size} ${time} ${extension} 000000 ${body} ${all}`;
  };
  const split = (body: Uint8Array, size: number, timestampMs = 1000): { parts: Heard[]; whole: boolean } => {
    const parts: Heard[] = [];
    const splitter = new AggregateSplitter();
    splitter.begin({
      typeId: 22,
      timestampMs,
      messageStreamId: 1,
      chunkStreamId: 4,
      payload: SliceList.of(...pieces(body, size)),
      messageNumber: 9,
      byteOffset: 77,
      atMs: 0,
    });
    for (let part = splitter.next(); part !== undefined; part = splitter.next()) parts.push(heard(part));
    return { parts, whole: splitter.isWhole };
  };
  const body = hex(`${tag('09', '000064', '1701020304')} ${tag('08', '00006e', '')} ${tag('08', '000078', 'af01')}`);

  test.each([1, 2, 3, 7, 11, 100])('are split in pieces of %d bytes', (size) => {
    const { parts, whole } = split(body, size);
    expect(whole).toBe(true);
    expect(
      parts.map((p) => [p.typeId, p.timestampMs, Buffer.from(p.payload).toString('hex'), p.messageNumber]),
    ).toEqual([
      [9, 1000, '1701020304', 9],
      [8, 1010, '', 9],
      [8, 1020, 'af01', 9],
    ]);
  });

  test('have relative timestamps with the upper eight bits, which wrap', () => {
    const times = hex(`${tag('09', 'ffffff', '17', '01')} ${tag('09', '000009', '17', '02')}`);
    expect(split(times, 100, 0xfffffffa).parts.map((p) => p.timestampMs)).toEqual([0xfffffffa, 4]);
  });

  test('deliver the complete parts of a truncated aggregate and report the rest', () => {
    for (let size = 1; size < body.length; size++) {
      const { parts, whole } = split(body.slice(0, size), 4);
      expect(parts.length).toBeLessThanOrEqual(3);
      // An aggregate without its last back pointer is still complete.
      const ends = [16, 17, 18, 19, 20, 31, 32, 33, 34, 35, 48, 49, 50, 51, 52];
      expect([size, whole]).toEqual([size, ends.includes(size)]);
    }
  });
});
