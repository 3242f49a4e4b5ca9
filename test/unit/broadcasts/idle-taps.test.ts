/** Taps that wait cost nearly nothing: video packets ask them, audio packets seldom do, and headers always reach them. */
import { describe, expect, test } from '@jest/globals';
import { Taps } from '../../../src/broadcasts/packets/taps.js';
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
  test('is asked by every video packet, and gets those from the next one on', () => {
    const { taps, tap } = attached();
    taps.packet('video', 0, VIDEO);
    expect(tap.asked).toBe(1);
    tap.isWaiting = false;
    taps.packet('video', 33, VIDEO);
    expect(taps.keepPayload).toBe(true);
    taps.packet('audio', 40, AUDIO);
    expect(tap.got).toEqual([VIDEO, AUDIO]);
  });

  test('of a stream without video is asked by one audio packet in eight', () => {
    const { taps, tap } = attached();
    for (let i = 0; i < 80; i++) taps.packet('audio', i * 21, AUDIO);
    expect(tap.asked).toBe(10);
    tap.isWaiting = false;
    for (let i = 0; i < 8; i++) taps.packet('audio', 1680 + i * 21, AUDIO);
    expect(taps.keepPayload).toBe(true);
    expect(tap.got.length).toBeGreaterThan(0);
  });

  test('gets each sequence header', () => {
    const { taps, tap } = attached();
    taps.packet('audio', 0, AUDIO);
    taps.packet('audio', 21, AUDIO_HEADER);
    expect(tap.got).toEqual([AUDIO_HEADER]);
  });
});
