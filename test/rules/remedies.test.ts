/** What to change: every code has a remedy, every family's words are for codes that exist, and they fit where people read them. */
import { describe, expect, test } from '@jest/globals';
import type { EncoderFamily } from '../../src/media/encoder.js';
import { byteLength, description, firstSentences, SHOWN_BYTES } from '../../src/rules/describe.js';
import { GENERAL_REMEDIES } from '../../src/rules/remedies/general.js';
import { FAMILY_REMEDIES, remedyFor } from '../../src/rules/remedies/remedy.js';
import { CATALOGUE } from '../../src/spec/errors.js';
import { LiveRun } from './harness.js';

const FAMILIES: readonly EncoderFamily[] = [
  'obs',
  'streamlabs',
  'ffmpeg',
  'gstreamer',
  'vmix',
  'wirecast',
  'larix',
  'xsplit',
  'hardware',
  'unknown',
];

/** Values as long as they come. */
const LONGEST: Readonly<Record<string, number | string>> = {
  ms: 28_799_000,
  kbps: 99_999,
  fps: 59.94,
  Hz: 22_050,
  channels: 8,
  ratio: 1.778,
  '%': 99.9,
  'key frames/s': 59.94,
  level: '4.2',
  pixels: '1920x1080, 1280x720, 854x480 or 640x360',
  '': '0x715a3721 (unknown codec)',
};
const WORDS = {
  class: '60 fps',
  size: '1920x1080',
  off: '100 %',
  profile: '1920x1080 at 60 FPS',
  track: 'video',
  apart: '12.34 s ahead of',
  over: 'nothing for 5 s',
};

describe('remedies', () => {
  test('the general ones cover the catalogue and nothing else', () => {
    expect(Object.keys(GENERAL_REMEDIES).map(Number).sort()).toEqual(CATALOGUE.map(({ code }) => code));
  });

  test('each family has its own for the faults that its users meet most', () => {
    for (const family of FAMILIES.filter((name) => name !== 'unknown')) {
      const own = FAMILY_REMEDIES.get(family) ?? {};
      expect(Object.keys(own)).toEqual(expect.arrayContaining(['6208', '6209', '6210', '6211']));
      const codes = new Set(CATALOGUE.map(({ code }) => String(code)));
      expect(Object.keys(own).filter((code) => !codes.has(code))).toEqual([]);
    }
    expect([...FAMILY_REMEDIES.keys()].sort()).toEqual(FAMILIES.filter((name) => name !== 'unknown').sort());
  });

  test.each(FAMILIES)('%s: fit into what a client shows, in whole sentences', (family) => {
    for (const entry of CATALOGUE) {
      const remedy = remedyFor(entry.code, { family, name: '', version: '' });
      expect(remedy).toMatch(/^[A-Z].*\.$/);
      const value = LONGEST[entry.unit] as number | string;
      const text = description(entry, { observed: value, limit: value, words: WORDS }, remedy);
      const shown = firstSentences(text);
      expect([entry.code, byteLength(shown) <= SHOWN_BYTES]).toEqual([entry.code, true]);
      expect([entry.code, shown]).toEqual([entry.code, text]);
    }
  });

  test('the encoder is recognised from flashVer or metadata, and named', () => {
    const remedyOf = (flashVer: string, encoder: string | undefined): string => {
      const run = new LiveRun().connect(flashVer);
      if (encoder !== undefined) run.judge.metadata({ encoder }, run.atMs);
      run.send({ durationMs: 5000, keyFrameIntervalMs: 9000, metadata: false });
      return run.records.find(({ error_code }) => error_code === 6208)?.remediation ?? '';
    };
    expect(remedyOf('FMLE/3.0', 'obs-output module (libobs version 30.2.3)')).toContain('Output Mode Advanced');
    expect(remedyOf('FMLE/3.0', 'Lavf59.27.100')).toContain('-g 60');
    expect(remedyOf('Wirecast/FM 1.0 (compatible; FMSc/1.0)', undefined)).toContain('Key frame every 60 frames');
    expect(remedyOf('FMLE/3.0 (compatible; vMix/27.0)', undefined)).toContain('Keyframe Frequency 2 seconds');
    expect(remedyOf('Larix/1.3', undefined)).toContain('Settings > Video');
    expect(remedyOf('Teradek VidiU/3.1', undefined)).toContain('On the encoder, set the GOP');
    expect(remedyOf('FMLE/3.0', undefined)).toBe('Set the key frame interval to 2 seconds.');
  });

  test('a value of absurd length from the wire is cut, and the sentences stay whole', () => {
    const entry = CATALOGUE.find(({ code }) => code === 6217);
    if (entry === undefined) throw new Error('no 6217');
    const text = description(entry, { observed: 'x'.repeat(4000), limit: 'y' }, 'Do this.');
    expect(byteLength(firstSentences(text))).toBeLessThanOrEqual(SHOWN_BYTES);
    expect(text.startsWith('[6217 METADATA_MISMATCH] ')).toBe(true);
  });
});
