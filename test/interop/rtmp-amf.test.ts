/** Interoperability of AMF. */
import { WireError } from '../../src/bytes/wire-error.js';
import type { AmfValue } from '../../src/rtmp/amf/amf-value.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { hex, publishing } from '../unit/rtmp/peers.js';
import { RawPublisher } from './raw-publisher.js';

describe('strict arrays', () => {
  test('are read as fourCcList in connect', () => {
    const { server } = publishing({ fourCcList: ['av01', 'hvc1'] });
    expect(server.connects[0]?.properties.fourCcList).toEqual(['av01', 'hvc1']);
    expect(server.publishes).toHaveLength(1);
  });

  test('are read in metadata', () => {
    const publisher = new RawPublisher().publish();
    publisher.message(18, encodeAmf0('@setDataFrame', 'onMetaData', { list: [1, 'a', null] }), 1);
    expect(publisher.server.data).toEqual([{ name: 'onMetaData', values: [{ list: [1, 'a', null] }] }]);
  });
});

describe('AMF3', () => {
  test('answers commands of type 17 in AMF0', () => {
    const publisher = new RawPublisher().shakeHands();
    const body = (...values: AmfValue[]) => new Uint8Array([0, ...encodeAmf0(...values)]);
    publisher.message(17, body('connect', 1, { app: 'live', objectEncoding: 3 }), 0, 0, 3);
    publisher.message(17, body('createStream', 2, null), 0, 0, 3);
    publisher.message(17, body('publish', 3, null, 'key', 'live'), 1, 0, 5);
    expect(publisher.server.publishes).toMatchObject([{ name: 'key', streamId: 1 }]);
    expect(publisher.answers()[0]?.values[0]).toMatchObject({ objectEncoding: 0 });
    expect(publisher.received().every((message) => message.typeId !== 17)).toBe(true);
  });

  test('reads data of type 15, and a value switched to AMF3', () => {
    const publisher = new RawPublisher().publish();
    publisher.message(15, new Uint8Array([0, ...encodeAmf0('onMetaData', { width: 1 })]), 1);
    publisher.message(18, new Uint8Array([...encodeAmf0('onMetaData'), ...hex('11 0a 0b 01 0361 0401 01')]), 1);
    expect(publisher.server.data.map((data) => data.values)).toEqual([[{ width: 1 }], [{ a: 1 }]]);
  });
});

describe('bodies that do not decode', () => {
  const broken: [string, string][] = [
    ['a truncated object', '02 0007 7075626c697368 00 0000000000000000 03 0001 61'],
    ['an array shorter than its count', '02 0001 61 00 0000000000000000 0a 00000003 05'],
    ['an unknown marker', '02 0001 61 00 0000000000000000 ee'],
    ['a number cut short', '02 0001 61 00 00'],
    ['no name', '00 0000000000000000'],
  ];

  test.each(broken)('ignores %s as a command and continues the stream', (_name, bytes) => {
    const publisher = new RawPublisher().publish();
    publisher.message(20, hex(bytes), 1).message(9, hex('17'), 1);
    expect(publisher.server.faults).toEqual(['malformed-command']);
    expect(publisher.server.video).toHaveLength(1);
  });

  test.each(broken)('ignores %s as data and continues the stream', (_name, bytes) => {
    const publisher = new RawPublisher().publish();
    publisher.message(18, hex(bytes).subarray(1), 1).message(9, hex('17'), 1);
    expect(publisher.server.faults).toEqual(['malformed-data']);
    expect(publisher.server.video).toHaveLength(1);
  });

  test('ignores a malformed connect and accepts a valid one after it', () => {
    const publisher = new RawPublisher().shakeHands();
    publisher.message(20, hex('02 0007 636f6e6e656374 00 3ff0000000000000 03 00'), 0, 0, 3).connect();
    expect(publisher.server.connects).toHaveLength(1);
  });

  test('refuses too many malformed commands', () => {
    const publisher = new RawPublisher().publish();
    expect(() => {
      for (let i = 0; i < 2000; i++) publisher.message(20, hex('ee'), 1);
    }).toThrow(WireError);
  });
});

describe('limits', () => {
  test.each<[string, Uint8Array]>([
    ['depth 10,000', new Uint8Array([...encodeAmf0('connect', 1), ...Array(10_000).fill([10, 0, 0, 0, 1]).flat(), 5])],
    ['a key of 65,000 bytes', new Uint8Array([...encodeAmf0('connect', 1), 3, 0xfd, 0xe8, ...new Uint8Array(65_000)])],
    ['a long string of 4 GB', new Uint8Array([...encodeAmf0('connect', 1), ...hex('0c ffffffff 61')])],
  ])('refuses %s without ending the process', (_name, body) => {
    const publisher = new RawPublisher().shakeHands().message(20, body, 0, 0, 3);
    expect(publisher.server.faults).toEqual(['malformed-command']);
    expect(publisher.connect().server.connects).toHaveLength(1);
  });
});

test('ignores an empty command', () => {
  const publisher = new RawPublisher().publish().message(20, new Uint8Array(0), 1).message(17, new Uint8Array(0), 1);
  expect(publisher.server.faults).toEqual([]);
  expect(publisher.server.session.state).toBe('publishing');
});

test('passes on connect properties of any type without effect', () => {
  const properties = { supportsGoAway: true, capsEx: 15, fpad: null, x: undefined, y: { z: [1] }, app: 'live' };
  const publisher = new RawPublisher().shakeHands().connect(properties);
  expect(publisher.server.connects[0]).toMatchObject({ app: 'live', properties });
  expect(publisher.server.session.state).toBe('connected');
});
