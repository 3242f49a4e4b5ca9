/** Capabilities of Enhanced RTMP v2 in connect and its result. */
import { SliceList } from '../../src/bytes/slices.js';
import { type AmfValue, amfObject } from '../../src/rtmp/amf/amf-value.js';
import { DEFAULT_RTMP_LIMITS } from '../../src/rtmp/limits.js';
import { readCapabilities } from '../../src/rtmp/messages/capabilities.js';
import { readCommand } from '../../src/rtmp/messages/command.js';
import { RawPublisher } from './raw-publisher.js';

/** The command object of the connect result. */
function resultFor(properties: Record<string, AmfValue>): unknown {
  const publisher = new RawPublisher().shakeHands().connect(properties);
  const message = publisher.received().find(({ typeId }) => typeId === 20);
  if (message === undefined) throw new Error('no result');
  return readCommand(20, SliceList.of(message.payload), DEFAULT_RTMP_LIMITS.amf).object;
}

const LEGACY = { fmsVer: 'FMS/3,5,7,7009', capabilities: 31 };
const OFFERED = {
  ...LEGACY,
  capsEx: 15,
  fourCcList: ['avc1', 'mp4a'],
  videoFourCcInfoMap: { avc1: 4 },
  audioFourCcInfoMap: { mp4a: 4 },
};

test('a client without Enhanced RTMP gets the answer that it knows', () => {
  expect(resultFor({})).toEqual(LEGACY);
});

test.each([
  ['capsEx', { capsEx: 15 }],
  ['videoFourCcInfoMap', { videoFourCcInfoMap: { '*': 4, hvc1: 7 } }],
  ['audioFourCcInfoMap', { audioFourCcInfoMap: { mp4a: 4 } }],
  ['the older fourCcList', { fourCcList: ['av01', 'hvc1'] }],
])(
  'a client that sends %s is told what the server reads: multitrack, ModEx, nanoseconds, H.264 and AAC',
  (_n, sent) => {
    expect(resultFor(sent)).toEqual(OFFERED);
  },
);

test('reads the capabilities of a client from all four members', () => {
  const found = readCapabilities(
    amfObject({
      capsEx: 3,
      fourCcList: ['av01'],
      videoFourCcInfoMap: amfObject({ '*': 4, avc1: 6 }),
      audioFourCcInfoMap: amfObject({ mp4a: 5 }),
    }),
  );
  expect(found?.capsEx).toBe(3);
  expect([...(found?.fourCcs ?? [])]).toEqual([
    ['av01', 0],
    ['*', 4],
    ['avc1', 6],
    ['mp4a', 5],
  ]);
});

test.each([
  ['a text as capsEx', { capsEx: '15' }],
  ['a number as list', { fourCcList: 7 }],
  ['names that are no codec', { videoFourCcInfoMap: { toolong: 1, x: 2 } }],
  ['null', { capsEx: null, videoFourCcInfoMap: null }],
])('%s counts as absent', (_name, sent) => {
  expect(resultFor(sent)).toEqual(LEGACY);
});

test('flags outside a byte are none, and a map of a thousand names is cut', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [String(1000 + at), 1]));
  const found = readCapabilities(amfObject({ capsEx: 2 ** 40, videoFourCcInfoMap: amfObject(many) }));
  expect(found?.capsEx).toBe(0);
  expect(found?.fourCcs.size).toBe(64);
});

test.each([
  ['offered it', { capsEx: 1 }, ['NetConnection.Connect.ReconnectRequest']],
  ['offered other capabilities', { capsEx: 6 }, []],
  ['offered nothing', {}, []],
])('a client that %s is asked accordingly to reconnect', (_what, properties, codes) => {
  const publisher = new RawPublisher().shakeHands().connect(properties);
  const before = publisher.answers().length;
  expect(publisher.server.session.requestReconnect('Elsewhere.')).toBe(codes.length > 0);
  expect(publisher.answers().slice(before)).toMatchObject(
    codes.map((code) => ({
      name: 'onStatus',
      messageStreamId: 0,
      values: [{ level: 'status', code, description: 'Elsewhere.' }],
    })),
  );
});
