/** The recipe for a detector (CONTRIBUTING.md), carried out for `test-tone.ts`. */
import type { Changes } from '../../support/changed-tree.js';

export const DETECTOR: Changes = {
  'src/detection/test-tone.ts': { from: 'test/recipes/detector/test-tone.ts' },
  'src/rules/service/test-tone.ts': { from: 'test/recipes/detector/test-tone-rule.ts' },
  'src/rules/registry/rules.ts': [
    [/^import \{ uploadContainer/m, "import { testTone } from '../service/test-tone.js';\n$&"],
    [/^ {2}copyrightMatch,\n/m, '$&  testTone,\n'],
  ],
  'src/server/rpc/contract.ts': [
    [
      /^ {2}\/\*\* The match with what/m,
      "  tone(file: string): { readonly result: 'measured'; readonly share: number } | NotRead;\n$&",
    ],
    [/^ {4}witness: /m, '    tone: { withinMs: SAMPLE_MS, places: SAMPLE_PLACES },\n$&'],
  ],
  'src/server/rpc/media.ts': [
    [
      /^import .*flv-probe.js';\n/m,
      "$&import { SOUND_RATE, type SampleDecoding } from '../../probe/sample-decoder.js';\nimport { type ToneMeter, toneShare } from '../../detection/test-tone.js';\n",
    ],
    ['StillDecoding, SoundComparer {', 'StillDecoding, SoundComparer, ToneMeter {'],
    ["'still' | 'sound'", "'still' | 'sound' | 'tone'"],
    ['PictureDecoding & StillDecoding;', 'SampleDecoding;'],
    [
      /^ {2}\/\*\* @throws SampleSkippedError \*\/\n {2}async check/m,
      `  get hasRoomForTone(): boolean {
    return this.#calls.hasPlace('media', 'tone');
  }

  async tone(flv: Uint8Array): Promise<number> {
    const answer = await this.#withFile('tone', flv, (file) => this.#calls.askOne('media', 'tone', file));
    return resultOf(answer).share;
  }

$&`,
    ],
    [
      /^ {4}witness: /m,
      `    tone: (file) =>
      readSample(folder, file, decoder.hasRoomForSound, async (flv) => {
        const { bytes } = await decoder.sound(flv, 'pcm');
        return { result: 'measured' as const, share: toneShare(bytes, SOUND_RATE) };
      }),
$&`,
    ],
  ],
  'src/server/roles/ingest.ts': [
    [/^import .*sound-taps.js';\n/m, "$&import { TestTones } from '../../detection/test-tone.js';\n"],
    ['probe, sounds, firsts, new BegunStreams', 'probe, sounds, firsts, new TestTones(media), new BegunStreams'],
  ],
};
