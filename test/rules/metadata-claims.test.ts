/** Texts of 6217: claims are printable, whatever bytes the encoder sent. */
import { SliceList } from '../../src/bytes/slices.js';
import { type SynthOptions, synthStream } from '../support/synth-stream.js';
import { newJudge, START_WALL_MS } from './harness.js';

/** The record's description, or '' when the claim agrees with a stream of H.264 and AAC. */
function describeMismatch(claims: Record<string, unknown>, asc: SynthOptions['asc'] = {}): string {
  const judge = newJudge();
  judge.connect({ wallMs: START_WALL_MS, atMs: 0 });
  for (const { kind, payload, timestampMs } of synthStream({ durationMs: 100, metadata: false, asc })) {
    if (kind === 'video')
      judge.video({ payload: SliceList.of(payload), timestampMs, messageNumber: 0, byteOffset: 0, atMs: 0 });
    else judge.audio({ payload: SliceList.of(payload), timestampMs, messageNumber: 0, byteOffset: 0, atMs: 0 });
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
  expect(describeMismatch(claims)).toContain(`[6217 METADATA_MISMATCH] The metadata says ${words}`);
});

test('accepts a codec claim with a profile suffix', () => {
  expect(describeMismatch({ videocodecid: 'avc1.64001f', audiocodecid: 'mp4a.40.2' })).toBe('');
});

test('takes `stereo: false` for no claim, as 5.1 is not stereo either', () => {
  expect(describeMismatch({ stereo: false })).toBe('');
  expect(describeMismatch({ stereo: false, audiochannels: 1 })).not.toBe('');
});

describe('claims about a core that may hold HE-AAC', () => {
  const stereo = { sampleRate: 22_050, channelConfiguration: 2 };
  const mono = { ...stereo, channelConfiguration: 1 };

  test('accepts the doubled rate and two channels of implicit HE-AAC', () => {
    expect(describeMismatch({ audiosamplerate: 44_100 }, stereo)).toBe('');
    expect(describeMismatch({ audiosamplerate: 44_100, stereo: true }, mono)).toBe('');
    expect(describeMismatch({ audiosamplerate: 22_050, audiochannels: 1 }, mono)).toBe('');
    expect(describeMismatch({ audiosamplerate: 48_000 }, stereo)).toContain('48000 Hz, but the stream has 22050 Hz');
  });

  test('accepts rate and channels of the core or of the output of explicit HE-AAC', () => {
    const second = { ...mono, ps: 'explicit' } as const;
    expect(describeMismatch({ audiosamplerate: 22_050, audiochannels: 1 }, second)).toBe('');
    expect(describeMismatch({ audiosamplerate: 44_100, audiochannels: 2 }, second)).toBe('');
    expect(describeMismatch({ audiosamplerate: 88_200 }, second)).toContain('88200 Hz, but the stream has 44100 Hz');
  });

  test('rejects the doubled rate for a 48 kHz core or a disabled extension', () => {
    expect(describeMismatch({ audiosamplerate: 96_000 })).toContain('96000 Hz, but the stream has 48000 Hz');
    expect(describeMismatch({ audiosamplerate: 44_100 }, { ...stereo, sbr: 'off' })).toContain('44100 Hz, but');
  });
});
