/** OBS's own measurements in SEI: read as written, and harmless when cut or foreign. */
import { expect, test } from '@jest/globals';
import { PerformanceMessages } from '../../../../src/media/h264/bpm.js';
import { performanceSei } from '../../../support/bpm-writer.js';

const COMPOSED = Date.UTC(2026, 0, 15, 12, 0, 0, 3);
const ALL = { composedMs: COMPOSED, rendered: 61, lagged: 14, dropped: 0x01020304, sent: 5, input: 60, skipped: 2 };

/** The payloads, behind the NAL unit header, payload type and size. */
function payloads(): Uint8Array[] {
  return performanceSei(ALL).map((nal) => withoutEscapes(nal).subarray(3, -1));
}

/** Without emulation prevention. */
function withoutEscapes(nal: Uint8Array): Uint8Array {
  return nal.filter((byte, i) => byte !== 3 || nal[i - 1] !== 0 || nal[i - 2] !== 0);
}

function readAll(parts: readonly Uint8Array[]): PerformanceMessages {
  const out = new PerformanceMessages();
  out.reset();
  for (const part of parts) out.read(part, 0, part.length);
  return out;
}

test('reads times and counters', () => {
  expect(readAll(payloads())).toMatchObject({
    ...ALL,
    interleavedMs: COMPOSED + 50,
    hasSession: true,
    hasEncoder: true,
  });
});

test('accepts four digits of a second', () => {
  const [times] = payloads() as [Uint8Array];
  const text = Buffer.from(times).toString('latin1').replaceAll('.003Z', '.0031Z');
  expect(readAll([Buffer.from(text, 'latin1')]).composedMs).toBe(COMPOSED);
});

test('ignores every cut and every foreign message', () => {
  for (const whole of payloads()) {
    for (let size = 0; size < whole.length - 3; size++) {
      const out = readAll([whole.subarray(0, size)]);
      expect([size, out.hasSession, out.hasEncoder]).toEqual([size, false, false]);
    }
    const foreign = Uint8Array.from(whole);
    foreign[5] = 0;
    expect(readAll([foreign]).isEmpty).toBe(true);
  }
});
