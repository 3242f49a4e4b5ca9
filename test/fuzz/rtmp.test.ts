/** Runs the RTMP targets for a fixed number of executions, and checks that planted faults are found. `npm run fuzz` runs longer. */
import { decodeAmf0 } from '../../src/rtmp/amf/amf0-decoder.js';
import { ChunkDecoder } from '../../src/rtmp/chunks/decoder.js';
import { DEFAULT_AMF_LIMITS } from '../../src/rtmp/limits.js';
import { type FuzzTarget, fuzz } from '../support/fuzz.js';
import { hex, type Messages } from '../unit/rtmp/peers.js';
import { checkAmf, decodesAlike, RTMP_TARGETS } from './targets/rtmp.js';
import { AMF0, CHUNKS, SMALL_LIMITS } from './targets/rtmp-corpus.js';

test.each(Object.entries<FuzzTarget>(RTMP_TARGETS))('%s', async (_name, target) => {
  expect(await fuzz(target)).toBeUndefined();
});

describe('canaries: catches', () => {
  test('a string reader that does not check its length', async () => {
    const decode = (input: Uint8Array): void => {
      const values = decodeAmf0(input, DEFAULT_AMF_LIMITS);
      const at = input.indexOf(2);
      if (at >= 0 && at + 2 + (input[at + 1] as number) >= input.length) throw new RangeError('planted');
      checkAmf(values);
    };
    expect((await fuzz({ seeds: AMF0, decode }))?.error).toBeInstanceOf(RangeError);
  });

  test('an array that does not check its count', async () => {
    const decode = (input: Uint8Array): void => {
      if (input[0] === 0x0a) new Uint8Array(new DataView(input.buffer, input.byteOffset).getUint32(1) * 4096);
      decodeAmf0(input, DEFAULT_AMF_LIMITS);
    };
    const seeds = [[hex('0a 00000003 050505')], ...AMF0];
    expect((await fuzz({ seeds, decode }))?.error).toBeInstanceOf(RangeError);
  });

  test('a chunk decoder that loses a byte when a buffer ends inside a header', async () => {
    const make = (messages: Messages) => {
      const decoder = new ChunkDecoder(messages, SMALL_LIMITS);
      let pushes = 0;
      return {
        push: (bytes: Uint8Array) => decoder.push(++pushes % 50 === 0 && bytes.length > 1 ? bytes.subarray(1) : bytes),
      };
    };
    const decode: FuzzTarget['decode'] = (input, random) => decodesAlike(make, input, random);
    expect((await fuzz({ seeds: CHUNKS, rounds: 500, decode }))?.error).toMatchObject({
      message: expect.stringContaining('in place of'),
    });
  });

  test('a chunk decoder that adds a delta again for each chunk of a message', async () => {
    const make = (messages: Messages) => {
      let pushes = 0;
      const decoder = new ChunkDecoder(
        {
          takeMessage: (message) =>
            messages.takeMessage({ ...message, timestampMs: message.timestampMs + (pushes > 400 ? 1 : 0) }),
        },
        SMALL_LIMITS,
      );
      return {
        push: (bytes: Uint8Array) => {
          pushes++;
          decoder.push(bytes);
        },
      };
    };
    const decode: FuzzTarget['decode'] = (input, random) => decodesAlike(make, input, random);
    expect((await fuzz({ seeds: CHUNKS, rounds: 500, decode }))?.error).toMatchObject({
      message: expect.stringContaining('in place of'),
    });
  });
});
