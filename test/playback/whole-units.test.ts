import {
  flvUnits,
  type Measure,
  UnitTooLongError,
  WholeUnits,
  webSocketFrame,
} from '../../src/playback/viewers/whole-units.js';

function tag(size: number): Buffer {
  const bytes = Buffer.alloc(11 + size + 4, 0x5a);
  bytes[0] = 9;
  bytes.writeUIntBE(size, 1, 3);
  return bytes;
}

function frame(size: number, masked = false): Buffer {
  const length =
    size < 126
      ? [size]
      : size < 65_536
        ? [126, size >> 8, size & 255]
        : [127, 0, 0, 0, 0, 0, size >> 16, (size >> 8) & 255, size & 255];
  length[0]! |= masked ? 0x80 : 0;
  return Buffer.concat([Buffer.from([0x82, ...length]), Buffer.alloc(size + (masked ? 4 : 0), 0x5a)]);
}

function unitsOf(measure: Measure, bytes: Buffer, cut: number): string[] {
  const units: string[] = [];
  const whole = new WholeUnits(measure, 200_000, (unit) => units.push(unit.toString('base64')));
  for (let at = 0; at < bytes.length; at += cut) whole.push(bytes.subarray(at, at + cut));
  return units;
}

const flv = [
  Buffer.concat([Buffer.from('FLV\x01\x05\0\0\0\x09', 'latin1'), Buffer.alloc(4)]),
  tag(0),
  tag(1),
  tag(70_000),
  tag(5),
];
const frames = [frame(0), frame(125), frame(126), frame(70_000), frame(65_535), frame(3, true)];

test.each([1, 2, 7, 10, 11, 1_000, 69_999, 1_000_000])('reassembles whole units from pieces of %i bytes', (cut) => {
  expect(unitsOf(flvUnits(), Buffer.concat(flv), cut)).toEqual(flv.map((unit) => unit.toString('base64')));
  expect(unitsOf(webSocketFrame, Buffer.concat(frames), cut)).toEqual(frames.map((unit) => unit.toString('base64')));
});

test('holds back an incomplete unit and refuses an oversized one before it arrives', () => {
  expect(unitsOf(flvUnits(), Buffer.concat([...flv, tag(9).subarray(0, 23)]), 100)).toHaveLength(flv.length);
  const whole = new WholeUnits(webSocketFrame, 131, () => undefined);
  expect(() => whole.push(frame(126, true).subarray(0, 8))).toThrow(UnitTooLongError);
});
