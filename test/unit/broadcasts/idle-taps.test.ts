/** Taps that wait cost nothing: the clock asks them and packets do not, and headers always reach them. */
import { describe, expect, test } from '@jest/globals';
import { Taps } from '../../../src/broadcasts/taps.js';
import { SliceList } from '../../../src/bytes/slices.js';
import type { MediaTap } from '../../../src/ports/index.js';
import { payloadBuffers } from '../../support/payload-buffers.js';

const AUDIO = SliceList.of(Uint8Array.of(0xaf, 1, 0x21, 0x10));
const AUDIO_HEADER = SliceList.of(Uint8Array.of(0xaf, 0, 0x11, 0x90));
const VIDEO = SliceList.of(Uint8Array.of(0x27, 1, 0, 0, 0, 0, 0, 0, 1, 0x41));

class Waiting implements MediaTap {
  readonly copies = true;
  isWaiting = true;
  asked = 0;
  readonly got: SliceList[] = [];

  get isIdle(): boolean {
    this.asked++;
    return this.isWaiting;
  }

  packet(_kind: 'audio' | 'video' | 'data', _timestampMs: number, payload: SliceList): void {
    this.got.push(payload);
  }

  close(): void {
    // Holds nothing.
  }
}

function attached(): { taps: Taps; tap: Waiting } {
  const taps = new Taps(payloadBuffers());
  const tap = new Waiting();
  taps.attach(tap);
  tap.asked = 0;
  return { taps, tap };
}

describe('a tap that waits', () => {
  test('is asked by the clock and by no packet, and gets the packets from then on', () => {
    const { taps, tap } = attached();
    for (let i = 0; i < 80; i++) taps.packet(i % 2 === 0 ? 'video' : 'audio', i * 21, i % 2 === 0 ? VIDEO : AUDIO);
    expect(tap.asked).toBe(0);
    tap.isWaiting = false;
    taps.packet('video', 1680, VIDEO);
    expect(tap.got).toEqual([]);
    taps.ask();
    expect(taps.keepPayload).toBe(true);
    taps.packet('video', 1713, VIDEO);
    taps.packet('audio', 1720, AUDIO);
    expect(tap.got).toEqual([VIDEO, AUDIO]);
    tap.isWaiting = true;
    taps.ask();
    taps.packet('video', 1746, VIDEO);
    expect(taps.keepPayload).toBe(false);
    expect(tap.got).toHaveLength(2);
  });

  test('gets the frame that follows the header for which it waited', () => {
    const { taps, tap } = attached();
    tap.isWaiting = false;
    taps.packet('audio', 0, AUDIO_HEADER);
    expect(taps.keepPayload).toBe(true);
    taps.packet('audio', 0, AUDIO);
    expect(tap.got).toEqual([AUDIO_HEADER, AUDIO]);
  });

  test('gets each sequence header', () => {
    const { taps, tap } = attached();
    taps.packet('audio', 0, AUDIO);
    taps.packet('audio', 21, AUDIO_HEADER);
    expect(tap.got).toEqual([AUDIO_HEADER]);
  });
});
