import { parseAudioSpecificConfig } from '../../../../src/media/aac/audio-specific-config.js';
import { configOfLoas } from '../../../../src/media/aac/latm.js';
import { buildAsc } from '../../../support/aac-writer.js';
import { BitWriter, concat } from '../../../support/bit-writer.js';

const PAYLOAD = new Uint8Array(40).fill(0x5a);

function frame(write: (w: BitWriter) => void): Uint8Array {
  const body = new BitWriter();
  write(body);
  for (const byte of PAYLOAD) body.u(8, byte);
  const element = body.align().bytes();
  return concat(new BitWriter().u(11, 0x2b7).u(13, element.length).bytes(), element);
}

const bitsOf = (w: BitWriter, bytes: Uint8Array) => bytes.forEach((byte) => void w.u(8, byte));

/** StreamMuxConfig of version 0, then frameLengthType 0 and a latmBufferFullness of 255. */
const version0 = (asc: Uint8Array) =>
  frame((w) => {
    w.bit(0).bit(0).bit(1).u(6, 0).u(4, 0).u(3, 0);
    bitsOf(w, asc);
    w.u(3, 0).u(8, 255);
  });

/** Version 1 gives the length of the config, which does not start on a byte boundary. */
const version1 = (asc: Uint8Array) =>
  frame((w) => {
    w.bit(0)
      .bit(1)
      .bit(0)
      .u(2, 1)
      .u(16, 1000)
      .bit(1)
      .u(6, 0)
      .u(4, 0)
      .u(3, 0)
      .u(2, 0)
      .u(8, asc.length * 8);
    bitsOf(w, asc);
    w.u(3, 0).u(8, 255);
  });

const sameAsBefore = frame((w) => w.bit(1));

const settings = (bytes: Uint8Array | undefined) => {
  const { objectTypeName, sampleRate, channels, sbr } = parseAudioSpecificConfig(bytes as Uint8Array);
  return { objectTypeName, sampleRate, channels, sbr };
};

describe('the configuration of AAC in LATM', () => {
  test.each([
    ['low complexity', {}],
    ['mono at 44.1 kHz', { sampleRate: 44100, channelConfiguration: 1 }],
    ['HE-AAC', { sampleRate: 24000, sbr: 'explicit' as const }],
  ])('reads %s in both versions of the multiplex', (_what, fields) => {
    const asc = buildAsc(fields);
    const wanted = settings(asc);
    expect(settings(configOfLoas(version0(asc)))).toEqual(wanted);
    expect(settings(configOfLoas(version1(asc)))).toEqual(wanted);
  });

  test('skips frames that refer to an earlier config, and bytes that are not a frame', () => {
    const asc = buildAsc({ sampleRate: 44100 });
    const bytes = concat(Uint8Array.of(1, 2, 3), sameAsBefore, sameAsBefore, version0(asc));
    expect(settings(configOfLoas(bytes)).sampleRate).toBe(44100);
  });

  test('finds no config in frames without one and in truncated frames', () => {
    expect(configOfLoas(concat(sameAsBefore, sameAsBefore))).toBeUndefined();
    expect(configOfLoas(new Uint8Array(100))).toBeUndefined();
    const whole = version1(buildAsc());
    for (let size = 0; size < 8; size++) expect(configOfLoas(whole.subarray(0, size))).toBeUndefined();
  });
});
