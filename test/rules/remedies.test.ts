/** Remedies: every code has one, each family's are for existing codes, and they fit into what clients display. */
import { describe, expect, test } from '@jest/globals';
import { byteLength, SHOWN_BYTES, sentencesWithin } from '../../src/lib/text.js';
import type { EncoderFamily } from '../../src/media/encoder.js';
import { description } from '../../src/rules/describe.js';
import { CATALOGUE, generalRemedy } from '../../src/rules/registry/catalogue.js';
import { FAMILY_REMEDIES, remedyFor } from '../../src/rules/remedies/remedy.js';
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

/** All settings at once, in the text of 6403. */
const ALL_SETTINGS =
  'H.265 (HEVC), 1920x1080, Constrained Baseline profile, level 4.2, sample aspect 1.333, 60 fps class, ' +
  'HE-AAC v2 (explicit), AAC LC, 44100 Hz, 2 audio channels';

/** Longest values of codes that exceed those of their unit. */
const LONGEST_OF: Readonly<Record<number, string>> = {
  6216: 'key frames of video track 9 1999 ms away from those of track 0',
  6217: 'HEVC, 1920x1080, HE-AAC, 44100 Hz, 6 channels',
  6403: ALL_SETTINGS,
  6503: 'the server that received it stopped; up to 30.5 s of the stream are missing',
  6504: 'it had been silent for 3.21 s',
  6505: 'less than the reserve of 10 % of the disk is free',
  6506: 'the disk cannot keep up',
  6701: 'application/vnd.apple.mpegurl, which is a playlist of other files',
  6707: 'Invalid data found when processing input: moov atom not found in the first 1048576 bytes',
};

/** Longest values by unit. */
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
  LUFS: -99.9,
  dB: -99.9,
  pixels: '1920x1080, 1280x720, 854x480 or 640x360',
  '': '0x715a3721 (unknown codec)',
};
const PLACEHOLDERS = {
  class: '60 fps',
  size: '1920x1080',
  off: '100 %',
  profile: '1920x1080 at 60 FPS',
  track: 'video',
  apart: '12.34 s ahead of',
  over: 'nothing for 5 s',
  told: 'Another encoder is already publishing with this stream key',
};

describe('remedies', () => {
  test('cover exactly the catalogue with the general ones', () => {
    expect(CATALOGUE.filter(({ code }) => generalRemedy(code) === '')).toEqual([]);
  });

  test('include encoder-specific ones for the most frequent faults of each family', () => {
    for (const family of FAMILIES.filter((name) => name !== 'unknown')) {
      const own = FAMILY_REMEDIES.get(family) ?? {};
      expect(Object.keys(own)).toEqual(expect.arrayContaining(['6208', '6209', '6210', '6211']));
      const codes = new Set(CATALOGUE.map(({ code }) => String(code)));
      expect(Object.keys(own).filter((code) => !codes.has(code))).toEqual([]);
    }
    expect([...FAMILY_REMEDIES.keys()].sort()).toEqual(FAMILIES.filter((name) => name !== 'unknown').sort());
  });

  test.each(FAMILIES)('of %s fit into what a client shows, in complete sentences', (family) => {
    for (const entry of CATALOGUE) {
      const remedy = remedyFor(entry.code, { family, name: '', version: '' });
      expect(remedy).toMatch(/^[A-Z].*\.$/);
      const value = LONGEST_OF[entry.code] ?? (LONGEST[entry.unit] as number | string);
      const text = description(entry, { observed: value, limit: value, placeholders: PLACEHOLDERS }, remedy);
      const head = text.slice(0, text.length - remedy.length - 1);
      expect([entry.code, byteLength(head) <= SHOWN_BYTES, head.endsWith('.')]).toEqual([entry.code, true, true]);
      expect([entry.code, sentencesWithin(text, SHOWN_BYTES)]).toEqual([entry.code, text]);
      // The refusal sent to an encoder that reconnects to a broadcast ended for this fault.
      const refusal = sentencesWithin(`This broadcast was ended: ${text}`, SHOWN_BYTES);
      expect([entry.code, refusal]).toEqual([entry.code, expect.stringContaining(head)]);
      expect([entry.code, refusal]).toEqual([entry.code, expect.stringMatching(/\.$/)]);
    }
  });

  test('name the first of many changed settings and count the rest', () => {
    const entry = CATALOGUE.find(({ code }) => code === 6403);
    if (entry === undefined) throw new Error('no 6403');
    const remedy = remedyFor(6403, { family: 'ffmpeg', name: '', version: '' });
    const text = description(entry, { observed: ALL_SETTINGS, limit: ALL_SETTINGS }, remedy);
    expect(text).toMatch(
      /: now H\.265 \(HEVC\), 1920x1080 and 8 more, at the start H\.265 \(HEVC\), 1920x1080 and 8 more\. With/,
    );
    expect(byteLength(text)).toBeLessThanOrEqual(SHOWN_BYTES);
  });

  test('count what they leave out only of lists', () => {
    const observed = 'a value with a comma, which is no list, '.repeat(8);
    const counting = CATALOGUE.filter((entry) =>
      / and \d+ more/.test(description(entry, { observed, limit: observed }, generalRemedy(entry.code))),
    );
    expect(counting.map(({ code }) => code)).toEqual([6217, 6403, 6508, 6701]);
  });

  test('are selected by the encoder recognized from flashVer or metadata', () => {
    const remedyOf = (clientName: string, encoder: string | undefined): string => {
      const run = new LiveRun().connect(clientName);
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

  test('stay complete when an overlong value from the wire is cut', () => {
    const entry = CATALOGUE.find(({ code }) => code === 6217);
    if (entry === undefined) throw new Error('no 6217');
    const text = description(entry, { observed: 'x'.repeat(4000), limit: 'y' }, 'Do this.');
    expect(byteLength(text)).toBeLessThanOrEqual(SHOWN_BYTES);
    expect(text).toContain('…, but the stream has y. Do this.');
    expect(text.startsWith('[6217 METADATA_MISMATCH] ')).toBe(true);
  });
});
