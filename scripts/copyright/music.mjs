/**
 * Varied sound by seed, cheap to make: eleven styles from dance loops and piano to speech, bells and crowd noise. Chords,
 * tempos and keys are those of common songs, so that different seeds are as alike as different recordings of one genre.
 */
import { seededRandom } from '../../test/support/random.js';

export const MUSIC_RATE = 11_025;

const TABLE = 1_024;
const PROGRESSIONS = [
  [0, 4, 5, 3],
  [5, 3, 0, 4],
  [0, 5, 3, 4],
  [0, 3, 4, 4],
  [1, 4, 0, 0],
  [0, 3, 0, 4],
  [5, 4, 3, 4],
  [0, 0, 3, 0, 4, 3, 0, 4],
];
const SCALES = [
  [0, 2, 4, 5, 7, 9, 11],
  [0, 2, 3, 5, 7, 8, 10],
  [0, 2, 3, 5, 7, 9, 10],
  [0, 2, 4, 5, 7, 9, 10],
];

const pick = (random, items) => items[Math.floor(random() * items.length)];
const between = (random, low, high) => low + random() * (high - low);
const hertz = (key) => 440 * 2 ** ((key - 69) / 12);

/** One period with random harmonics. */
function timbre(random) {
  const table = new Float32Array(TABLE);
  const harmonics = 1 + Math.floor(random() * 9);
  const fall = between(random, 0.6, 2);
  const odd = random() < 0.3;
  for (let harmonic = 1; harmonic <= harmonics; harmonic++) {
    if (odd && harmonic % 2 === 0) continue;
    const level = (0.3 + 0.7 * random()) / harmonic ** fall;
    const phase = random() * 2 * Math.PI;
    for (let at = 0; at < TABLE; at++) table[at] += level * Math.sin((2 * Math.PI * harmonic * at) / TABLE + phase);
  }
  return table;
}

/** `attack` and `decay` in 1/s; `vibrato` as a part of the pitch; `bend`: the pitch at the end by that at the start. */
function note(out, fromS, lengthS, { hz, level, table, attack = 80, decay = 2, vibrato = 0, bend = 1 }) {
  const from = Math.max(0, Math.floor(fromS * MUSIC_RATE));
  const to = Math.min(out.length, from + Math.floor(lengthS * MUSIC_RATE));
  if (hz > MUSIC_RATE / 2.2) return;
  let step = (TABLE * hz) / MUSIC_RATE;
  const bent = bend ** (1 / (lengthS * MUSIC_RATE));
  const fade = Math.exp(-decay / MUSIC_RATE);
  const rising = MUSIC_RATE / attack;
  let loud = level;
  let phase = 0;
  for (let at = from; at < to; at++) {
    const age = at - from;
    const left = to - at;
    const rise = age < rising ? age / rising : left < 200 ? left / 200 : 1;
    out[at] += loud * rise * table[phase & (TABLE - 1)];
    phase += vibrato === 0 ? step : step * (1 + vibrato * Math.sin((age * 2 * Math.PI * 5.5) / MUSIC_RATE));
    step *= bent;
    loud *= fade;
  }
}

/** Noise of a drum; `bright` from 0 (dull) to 1. */
function hit(out, random, fromS, { level, decay, bright }) {
  const from = Math.floor(fromS * MUSIC_RATE);
  const to = Math.min(out.length, from + Math.floor((5 / decay) * MUSIC_RATE));
  const fade = Math.exp(-decay / MUSIC_RATE);
  let loud = level;
  let low = 0;
  for (let at = from; at < to; at++) {
    low += (0.05 + 0.9 * bright) * (2 * random() - 1 - low);
    out[at] += loud * low;
    loud *= fade;
  }
}

const SINE = Float32Array.from({ length: TABLE }, (_, at) => Math.sin((2 * Math.PI * at) / TABLE));

function harmony(random) {
  const scale = pick(random, SCALES);
  const root = 45 + Math.floor(random() * 12);
  const keyOf = (degree) => root + scale[((degree % 7) + 7) % 7] + 12 * Math.floor(degree / 7);
  return { keyOf, chords: pick(random, PROGRESSIONS), beatS: 60 / between(random, 70, 150) };
}

/** Verse and chorus that repeat, with a melody that varies. */
function band(random, out, seconds) {
  const { keyOf, chords, beatS } = harmony(random);
  const [chord, bass, lead] = [timbre(random), timbre(random), timbre(random)];
  const riffs = [0, 1].map(() => Array.from({ length: 16 }, () => (random() < 0.35 ? -1 : Math.floor(random() * 9))));
  const swing = random() < 0.3 ? 0.16 : 0;
  for (let bar = 0; bar * 4 * beatS < seconds; bar++) {
    const fromS = bar * 4 * beatS;
    const degree = chords[bar % chords.length];
    const riff = riffs[Math.floor(bar / 8) % 2];
    for (const third of [0, 2, 4])
      note(out, fromS, 4 * beatS, { hz: hertz(keyOf(degree + third + 7)), level: 0.09, table: chord, decay: 0.5 });
    for (let beat = 0; beat < 4; beat++) {
      const atS = fromS + beat * beatS;
      note(out, atS, beatS, { hz: hertz(keyOf(degree) - 12), level: 0.2, table: bass, decay: 3 });
      hit(out, random, atS, beat % 2 ? { level: 0.3, decay: 18, bright: 0.7 } : { level: 0.5, decay: 30, bright: 0.1 });
    }
    for (let half = 0; half < 8; half++) {
      const step = riff[(half + 8 * (bar % 2)) % 16];
      if (step < 0 || random() < 0.15) continue;
      const atS = fromS + (half / 2) * beatS + (half % 2) * swing * beatS;
      note(out, atS, beatS * 0.5, { hz: hertz(keyOf(degree + 14 + step)), level: 0.16, table: lead, vibrato: 0.004 });
    }
  }
}

/** A bar that repeats: kick on every beat, offbeat hats, bass and stabs. */
function dance(random, out, seconds) {
  const { keyOf, chords } = harmony(random);
  const beatS = 60 / between(random, 118, 140);
  const [bass, stab] = [timbre(random), timbre(random)];
  const line = Array.from({ length: 16 }, () => (random() < 0.5 ? -1 : pick(random, [0, 0, 0, 2, 4, 7])));
  const stabs = Array.from({ length: 16 }, () => random() < 0.25);
  for (let step = 0; (step * beatS) / 4 < seconds; step++) {
    const atS = (step * beatS) / 4;
    const section = Math.floor(step / 128);
    const degree = chords[Math.floor(step / 32) % chords.length];
    if (step % 4 === 0 && section % 4 !== 3)
      note(out, atS, 0.25, { hz: 150, bend: 0.3, level: 0.6, table: SINE, decay: 12, attack: 500 });
    if (step % 4 === 2) hit(out, random, atS, { level: 0.25, decay: 50, bright: 1 });
    if (line[step % 16] >= 0 && section % 4 !== 0)
      note(out, atS, beatS / 4, {
        hz: hertz(keyOf(degree + line[step % 16]) - 12),
        level: 0.25,
        table: bass,
        decay: 6,
      });
    if (stabs[step % 16])
      for (const third of [0, 2, 4])
        note(out, atS, beatS / 2, { hz: hertz(keyOf(degree + third + 7)), level: 0.08, table: stab, decay: 8 });
  }
}

function piano(random, out, seconds) {
  const { keyOf, chords, beatS } = harmony(random);
  const table = timbre(random);
  let atS = 0;
  for (let bar = 0; atS < seconds; bar++) {
    const degree = chords[bar % chords.length];
    const broken = random() < 0.7;
    for (let step = 0; step < 8; step++) {
      const degrees = broken
        ? [degree + [0, 2, 4, 7, 4, 2, 4, 2][step]]
        : step % 4
          ? []
          : [degree, degree + 2, degree + 4];
      for (const each of degrees)
        note(out, atS, 2, {
          hz: hertz(keyOf(each)),
          level: between(random, 0.08, 0.2),
          table,
          attack: 400,
          decay: 2.5,
        });
      if (random() < 0.5)
        note(out, atS, 2, { hz: hertz(keyOf(degree + 14 + Math.floor(random() * 8))), level: 0.2, table, attack: 400 });
      atS += (beatS / 2) * between(random, 0.93, 1.07);
    }
  }
}

function pads(random, out, seconds) {
  const { keyOf, chords } = harmony(random);
  const table = timbre(random);
  for (let bar = 0, atS = 0; atS < seconds; bar++) {
    const lengthS = between(random, 3, 8);
    const degree = chords[bar % chords.length];
    for (const third of [0, 2, 4, 6, 9].slice(0, 3 + Math.floor(random() * 3)))
      for (const off of [0.997, 1.003])
        note(out, atS, lengthS + 1, {
          hz: off * hertz(keyOf(degree + third)),
          level: 0.08,
          table,
          attack: 1,
          decay: 0.1,
        });
    atS += lengthS;
  }
}

function chip(random, out, seconds) {
  const { keyOf, chords, beatS } = harmony(random);
  const table = Float32Array.from({ length: TABLE }, (_, at) => (at < TABLE * 0.25 ? 0.5 : -0.5));
  const tune = Array.from({ length: 32 }, () => (random() < 0.25 ? -1 : Math.floor(random() * 12)));
  for (let step = 0; step * 0.04 < seconds; step++) {
    const degree = chords[Math.floor((step * 0.04) / (4 * beatS)) % chords.length];
    note(out, step * 0.04, 0.04, { hz: hertz(keyOf(degree + [0, 2, 4][step % 3] + 7)), level: 0.15, table, decay: 1 });
  }
  for (let step = 0; (step * beatS) / 2 < seconds; step++) {
    const atS = (step * beatS) / 2;
    const degree = tune[step % 32];
    if (degree >= 0) note(out, atS, beatS / 2, { hz: hertz(keyOf(degree + 14)), level: 0.25, table, decay: 2 });
    if (step % 2) hit(out, random, atS, { level: 0.2, decay: 40, bright: 1 });
  }
}

function strings(random, out, seconds) {
  const { keyOf, chords, beatS } = harmony(random);
  const table = timbre(random);
  for (let voice = 0; voice < 4; voice++) {
    for (let atS = 0; atS < seconds; ) {
      const lengthS = beatS * pick(random, [1, 2, 2, 3, 4]);
      const degree =
        chords[Math.floor(atS / (4 * beatS)) % chords.length] + pick(random, [0, 2, 4, 7]) + 7 * (voice - 1);
      note(out, atS, lengthS, { hz: hertz(keyOf(degree)), level: 0.12, table, attack: 8, decay: 0.3, vibrato: 0.006 });
      atS += lengthS;
    }
  }
}

function drums(random, out, seconds) {
  const beatS = 60 / between(random, 80, 170);
  const kinds = Array.from({ length: 4 }, () => ({ level: 0.5, decay: between(random, 6, 60), bright: random() }));
  const pattern = Array.from({ length: 16 }, () => (random() < 0.4 ? -1 : Math.floor(random() * 4)));
  const tom = between(random, 60, 200);
  for (let step = 0; (step * beatS) / 4 < seconds; step++) {
    const atS = (step * beatS) / 4;
    const kind = random() < 0.1 ? Math.floor(random() * 4) : pattern[step % 16];
    if (kind >= 0) hit(out, random, atS, kinds[kind]);
    if (step % 8 === 0) note(out, atS, 0.4, { hz: tom, bend: 0.5, level: 0.5, table: SINE, decay: 9, attack: 500 });
  }
}

function bells(random, out, seconds) {
  const { keyOf } = harmony(random);
  const partials = Array.from({ length: 5 }, () => between(random, 0.5, 5.5));
  const table = SINE;
  for (let atS = 0; atS < seconds; atS += between(random, 0.12, 0.7)) {
    const hz = hertz(keyOf(7 + Math.floor(random() * 14)));
    for (const partial of partials)
      note(out, atS, 1.8, { hz: hz * partial, level: 0.1 / Math.sqrt(partial), table, attack: 800, decay: 2.5 });
  }
}

/** Pulses and hiss through three resonators that move from vowel to vowel. */
function speech(random, out, seconds, level = 0.5) {
  const voiceHz = between(random, 85, 230);
  const size = between(random, 0.85, 1.2);
  const y = [0, 0, 0, 0, 0, 0];
  for (let atS = 0; atS < seconds; ) {
    const lengthS = between(random, 0.07, 0.28);
    if (random() < 0.12) atS += between(random, 0.15, 0.9);
    const isHiss = random() < 0.25;
    const formants = isHiss
      ? [between(random, 1500, 2500), between(random, 2500, 4000), between(random, 4000, 5000)]
      : [between(random, 280, 800), between(random, 850, 2300), between(random, 2300, 3200)].map((hz) => hz * size);
    const terms = formants.map((hz, index) => {
      const r = Math.exp((-Math.PI * (60 + 50 * index)) / MUSIC_RATE);
      return [2 * r * Math.cos((2 * Math.PI * hz) / MUSIC_RATE), -r * r, (1 - r) / (1 + index)];
    });
    const glide = between(random, 0.85, 1.15);
    const from = Math.floor(atS * MUSIC_RATE);
    const to = Math.min(out.length, from + Math.floor(lengthS * MUSIC_RATE));
    let phase = 0;
    for (let at = from; at < to; at++) {
      const done = (at - from) / (to - from);
      phase += (voiceHz * (1 + (glide - 1) * done)) / MUSIC_RATE;
      let source = isHiss ? 0.15 * (2 * random() - 1) : 0;
      if (phase >= 1) {
        phase -= 1;
        if (!isHiss) source = 4;
      }
      source *= Math.sin(Math.PI * done);
      let sum = 0;
      for (let index = 0; index < 3; index++) {
        const [a, b, gain] = terms[index];
        const next = a * y[2 * index] + b * y[2 * index + 1] + gain * source;
        y[2 * index + 1] = y[2 * index];
        y[2 * index] = next;
        sum += next;
      }
      out[at] += level * sum;
    }
    atS += lengthS;
  }
}

/** Rain, wind, a stadium: noise in bands whose levels drift. */
function noise(random, out) {
  const bands = Array.from({ length: 3 }, () => ({
    keep: between(random, 0.02, 0.9),
    level: random(),
    drift: random(),
  }));
  const lows = [0, 0, 0];
  const swells = [1, 1, 1];
  const periodS = between(random, 0.3, 6);
  for (let at = 0; at < out.length; at++) {
    const white = 2 * random() - 1;
    for (let index = 0; index < 3; index++) {
      const { keep, level, drift } = bands[index];
      lows[index] += keep * (white - lows[index]);
      if (at % 64 === 0)
        swells[index] = 1 + drift * Math.sin((2 * Math.PI * at) / (MUSIC_RATE * periodS * (1 + index)));
      out[at] += 0.3 * level * lows[index] * swells[index];
    }
  }
}

function speechOverMusic(random, out, seconds) {
  pick(random, [pads, piano, band])(random, out, seconds);
  for (let at = 0; at < out.length; at++) out[at] *= 0.4;
  speech(random, out, seconds);
}

export const STYLES = { band, dance, piano, pads, chip, strings, drums, bells, speech, noise, speechOverMusic };
const NAMES = Object.keys(STYLES);

/** 16-bit mono PCM. The style follows from the seed. */
export function music(seed, seconds) {
  const random = seededRandom(seed);
  for (let warm = 0; warm < 8; warm++) random();
  const out = new Float32Array(Math.floor(seconds * MUSIC_RATE));
  STYLES[NAMES[seed % NAMES.length]](random, out, seconds);
  return pcm(out);
}

/** The peak at 90 %. */
function pcm(samples) {
  let peak = 1e-6;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  const items = new Int16Array(samples.length);
  for (let at = 0; at < items.length; at++) items[at] = Math.round((samples[at] / peak) * 29_000);
  return Buffer.from(items.buffer);
}
