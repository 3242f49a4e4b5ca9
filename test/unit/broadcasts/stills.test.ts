import { jest } from '@jest/globals';
import { FirstKeyFrames, STILL_LIMITS, Stills } from '../../../src/broadcasts/stills.js';
import { SliceList } from '../../../src/bytes/slices.js';
import type { MediaTap } from '../../../src/ports/index.js';
import { avcFrame, avcSequenceHeader } from '../../support/flv-writer.js';
import { buildAvcc, buildPps, buildSps, lengthPrefixed, slice } from '../../support/h264-writer.js';

const HEADER = SliceList.of(avcSequenceHeader(buildAvcc({ sps: [buildSps()], pps: [buildPps()] })));
const frame = (key: boolean) => SliceList.of(avcFrame(lengthPrefixed([slice({ idr: key, size: 300 })]), { key }));
const JPEG = Uint8Array.of(0xff, 0xd8);

function harness(still: (flv: Uint8Array) => Promise<Uint8Array> = async () => JPEG, firsts = new FirstKeyFrames()) {
  const taps: MediaTap[] = [];
  const detached: MediaTap[] = [];
  const decoder = { hasRoomForStill: true, still };
  const stills = new Stills({
    decoder,
    firsts,
    streams: {
      attach: (id, tap) => {
        if (id === 'elsewhere') return false;
        taps.push(tap);
        tap.packet('video', 0, HEADER);
        return true;
      },
      detach: (_id, tap) => void detached.push(tap),
    },
  });
  return { stills, taps, detached, decoder };
}

test('decodes the next key frame, then keeps no more payload', async () => {
  const sent: Uint8Array[] = [];
  const { stills, taps, detached } = harness(async (flv) => {
    sent.push(flv);
    return JPEG;
  });
  const taken = stills.take('1');
  const [tap] = taps;
  tap?.packet('video', 40, frame(false));
  tap?.packet('audio', 40, SliceList.of(Uint8Array.of(0x17, 1)));
  expect(tap?.isIdle).toBe(false);
  tap?.packet('video', 80, frame(true));
  expect(tap?.isIdle).toBe(true);
  expect(detached).toEqual([tap]);
  expect(await taken).toBe(JPEG);
  expect(sent).toHaveLength(1);
  expect(Buffer.from(sent[0] ?? []).toString('latin1', 0, 3)).toBe('FLV');
});

test('has none of a stream that ends, is received elsewhere or cannot be decoded', async () => {
  const { stills, taps } = harness();
  const taken = stills.take('1');
  taps[0]?.close();
  expect(await taken).toBeUndefined();
  expect(await stills.take('elsewhere')).toBeUndefined();

  const failing = harness(() => Promise.reject(new Error('damaged')));
  const failed = failing.stills.take('1');
  failing.taps[0]?.packet('video', 0, frame(true));
  expect(await failed).toBeUndefined();
});

test('waits for a bounded number of streams, and for none while the decoder is busy', async () => {
  const { stills, taps, decoder } = harness();
  const waiting = Array.from({ length: STILL_LIMITS.awaited }, (_, id) => stills.take(String(id)));
  expect(await stills.take('one more')).toBeUndefined();
  for (const tap of taps) tap.close();
  await Promise.all(waiting);
  decoder.hasRoomForStill = false;
  expect(await stills.take('1')).toBeUndefined();
  expect(taps).toHaveLength(STILL_LIMITS.awaited);
});

test('the first key frame of a publish is decoded at once, without waiting for the next', async () => {
  const firsts = new FirstKeyFrames();
  const { stills, taps } = harness(undefined, firsts);
  const tap = firsts.open({ liveVideoId: '1' }, 'publish');
  tap?.packet('video', 0, HEADER);
  tap?.packet('video', 0, frame(true));
  expect(tap?.isIdle).toBe(true);
  expect(firsts.open({ liveVideoId: '1' }, 'live')).toBeUndefined();
  expect(await stills.take('1')).toBe(JPEG);
  expect(taps).toEqual([]);
  // It is given once: the next still is of the next key frame.
  void stills.take('1');
  expect(taps).toHaveLength(1);
});

test('first key frames are kept of a bounded number of streams, and each for a bounded time', () => {
  jest.useFakeTimers();
  try {
    const firsts = new FirstKeyFrames();
    const begin = (id: number): void => {
      const tap = firsts.open({ liveVideoId: String(id) }, 'publish');
      tap?.packet('video', 0, HEADER);
      tap?.packet('video', 0, frame(true));
    };
    for (let id = 0; id <= STILL_LIMITS.firsts; id++) begin(id);
    expect(firsts.take(String(STILL_LIMITS.firsts))).toBeUndefined();
    expect(firsts.take('0')).toBeDefined();
    jest.advanceTimersByTime(STILL_LIMITS.firstMs);
    expect(firsts.take('1')).toBeUndefined();
  } finally {
    jest.useRealTimers();
  }
});
