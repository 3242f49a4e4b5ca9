/** Synthesized sound by seed: songs of several instruments, and speech-like sound. 16-bit mono PCM. */
import { type Random, seededRandom } from './random.js';

// A global is looked up slowly in the test runner's context.
const { PI, exp, floor, max, min, round, sin } = Math;

export const SOUND_RATE = 16_000;

const SCALES = [
  [0, 2, 4, 5, 7, 9, 11],
  [0, 2, 3, 5, 7, 8, 10],
  [0, 2, 3, 5, 7, 9, 10],
  [0, 2, 4, 7, 9, 12, 14],
] as const;

type Wave = (phase: number) => number;

const WAVES: readonly Wave[] = [
  (phase) => sin(2 * PI * phase),
  (phase) => 0.6 * (2 * (phase - floor(phase + 0.5))),
  (phase) => 0.5 * sin(2 * PI * phase) + 0.3 * sin(4 * PI * phase) + 0.2 * sin(6 * PI * phase),
  (phase) => (phase - floor(phase) < 0.5 ? 0.4 : -0.4),
];

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[floor(random() * items.length)] as Item;
const hertz = (key: number): number => 440 * 2 ** ((key - 69) / 12);

interface Note {
  readonly fromS: number;
  readonly lengthS: number;
  readonly key: number;
  readonly level: number;
  readonly decay: number;
  readonly wave: Wave;
}

const TABLE = 2_048;
const tables = new Map<Wave, Float32Array>();

/** One period of the wave. */
function tableOf(wave: Wave): Float32Array {
  const known = tables.get(wave);
  if (known !== undefined) return known;
  const table = Float32Array.from({ length: TABLE }, (_, index) => wave(index / TABLE));
  tables.set(wave, table);
  return table;
}

function addNote(out: Float32Array, note: Note): void {
  const from = max(0, floor(note.fromS * SOUND_RATE));
  const to = min(out.length, from + floor(note.lengthS * SOUND_RATE));
  const table = tableOf(note.wave);
  const step = (TABLE * hertz(note.key)) / SOUND_RATE;
  const fade = exp(-note.decay / SOUND_RATE);
  const attack = SOUND_RATE / 80;
  let level = note.level;
  let phase = 0;
  for (let at = from; at < to; at++) {
    const rise = at - from < attack ? (at - from) / attack : 1;
    out[at] = (out[at] as number) + level * rise * (table[phase & (TABLE - 1)] as number);
    phase += step;
    level *= fade;
  }
}

function addDrum(out: Float32Array, fromS: number, level: number, decay: number, random: Random): void {
  const from = floor(fromS * SOUND_RATE);
  const to = min(out.length, from + floor(0.25 * SOUND_RATE));
  const fade = exp(-decay / SOUND_RATE);
  let loud = level;
  for (let at = from; at < to; at++) {
    out[at] = (out[at] as number) + loud * (2 * random() - 1);
    loud *= fade;
  }
}

/** A song: chords that change every bar, bass, a melody and drums, all by `seed`. */
export function song(seed: number, seconds: number): Buffer {
  const random = seededRandom(seed);
  const out = new Float32Array(floor(seconds * SOUND_RATE));
  const beatS = 60 / (80 + random() * 70);
  const scale = pick(random, SCALES);
  const root = 45 + floor(random() * 12);
  const voices = { chord: pick(random, WAVES), bass: pick(random, WAVES), lead: pick(random, WAVES) };
  const key = (degree: number): number => root + (scale[degree % 7] ?? 0) + 12 * floor(degree / 7);
  for (let fromS = 0; fromS < seconds; fromS += 4 * beatS) {
    const degree = floor(random() * 7);
    const lengthS = 4 * beatS;
    for (const third of [0, 2, 4]) {
      addNote(out, { fromS, lengthS, key: key(degree + third + 7), level: 0.1, decay: 0.4, wave: voices.chord });
    }
    for (let beat = 0; beat < 4; beat++) {
      const atS = fromS + beat * beatS;
      addNote(out, { fromS: atS, lengthS: beatS, key: key(degree) - 12, level: 0.2, decay: 3, wave: voices.bass });
      addDrum(out, atS, beat % 2 === 0 ? 0.25 : 0.15, beat % 2 === 0 ? 30 : 15, random);
      for (let half = 0; half < 2; half++) {
        if (random() < 0.3) continue;
        const melody = key(degree + 14 + floor(random() * 7));
        const noteS = beatS * (random() < 0.5 ? 0.5 : 1);
        addNote(out, {
          fromS: atS + (half * beatS) / 2,
          lengthS: noteS,
          key: melody,
          level: 0.2,
          decay: 2,
          wave: voices.lead,
        });
      }
    }
  }
  return pcm(out);
}

/** Speech-like: voiced syllables with gliding formants, hisses and pauses. */
export function talk(seed: number, seconds: number): Buffer {
  const random = seededRandom(seed);
  const out = new Float32Array(floor(seconds * SOUND_RATE));
  let fromS = 0;
  while (fromS < seconds) {
    const lengthS = 0.1 + random() * 0.2;
    if (random() < 0.15) fromS += 0.2 + random() * 0.6;
    if (random() < 0.3) addDrum(out, fromS, 0.1, 12, random);
    const pitch = 90 + random() * 80;
    const formants = [300 + random() * 500, 900 + random() * 1_400, 2_300 + random() * 700];
    const from = floor(fromS * SOUND_RATE);
    const to = min(out.length, from + floor(lengthS * SOUND_RATE));
    for (let at = from; at < to; at++) {
      const age = (at - from) / SOUND_RATE;
      const envelope = sin((PI * age) / lengthS);
      const beat = age * pitch - floor(age * pitch);
      let value = 0;
      for (const [index, formant] of formants.entries()) {
        value += exp(-beat * (3 + index)) * sin((2 * PI * formant * beat) / pitch) * (0.3 / (index + 1));
      }
      out[at] = (out[at] ?? 0) + envelope * value;
    }
    fromS += lengthS;
  }
  return pcm(out);
}

function pcm(samples: Float32Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  const items = new Int16Array(bytes.buffer, bytes.byteOffset, samples.length);
  for (let at = 0; at < items.length; at++) items[at] = round(max(-1, min(1, samples[at] as number)) * 32_000);
  return bytes;
}
