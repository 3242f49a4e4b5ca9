/** 6217 in words: what is claimed reads as text, whatever bytes the encoder put there. */
import { SliceList } from '../../src/bytes/slices.js';
import { synthStream } from '../support/synth-stream.js';
import { newJudge, START_WALL_MS } from './harness.js';

/** The record's description, or '' when the claim agrees with a stream of H.264 and AAC. */
function told(claims: Record<string, unknown>): string {
  const judge = newJudge();
  judge.connect({ atWallMs: START_WALL_MS, atMs: 0 });
  for (const { kind, payload, timestampMs } of synthStream({ durationMs: 100, metadata: false })) {
    if (kind === 'video') judge.video(SliceList.of(payload), timestampMs, 0, 0, 0);
    else judge.audio(SliceList.of(payload), timestampMs, 0, 0, 0);
  }
  judge.metadata(claims, 0);
  return judge.takeChanges().find(({ body }) => body.error_code === 6217)?.body.description ?? '';
}

test.each([
  [{ videocodecid: 'dvh1' }, 'dvh1 (unknown codec), but the stream has H.264.'],
  [{ videocodecid: 0x64766831 }, 'dvh1 (unknown codec), but the stream has H.264.'],
  [{ videocodecid: 0xdeadbeef }, '0xefbeadde (unknown codec), but the stream has H.264.'],
  [{ videocodecid: 9 }, 'codec id 9, but the stream has H.264.'],
  [{ videocodecid: 'hev1.1.6.L93' }, 'HEVC (H.265), but the stream has H.264.'],
  [{ audiocodecid: 'my\u0007sound\u00e9' }, 'my?sound?, but the stream has AAC.'],
  [{ audiocodecid: 'alaw' }, 'alaw (unknown codec), but the stream has AAC.'],
])('%j', (claims, words) => {
  expect(told(claims)).toContain(`[6217 METADATA_MISMATCH] The metadata says ${words}`);
});

test('a codec with its profile behind it is that codec', () => {
  expect(told({ videocodecid: 'avc1.64001f', audiocodecid: 'mp4a.40.2' })).toBe('');
});
