/**
 * For every recognized encoder, the remedy of each stream fault names a setting as that encoder spells it, and every name
 * was checked against a public source (docs/decisions/0011-remedies-checked.md).
 */
import { readFileSync } from 'node:fs';
import { generalRemedy } from '../../src/rules/registry/catalogue.js';
import { LIVE_RULES } from '../../src/rules/registry/rules.js';
import { SERVICE_CODES } from '../../src/rules/registry/service-codes.js';
import {
  type EncoderLabels,
  HARDWARE,
  LARIX,
  type ModeLabels,
  OBS,
  STREAMLABS,
  VMIX,
  WIRECAST,
  XSPLIT,
} from '../../src/rules/remedies/labels.js';
import { FFMPEG, GSTREAMER } from '../../src/rules/remedies/option-names.js';
import { FAMILY_REMEDIES, remedyFor } from '../../src/rules/remedies/remedy.js';

interface Family {
  readonly family: string;
  /** Heading of its section in the decision record. */
  readonly heading: string;
  readonly labels: EncoderLabels & Partial<ModeLabels>;
}

const FAMILIES: readonly Family[] = [
  { family: 'obs', heading: 'OBS Studio', labels: OBS },
  { family: 'streamlabs', heading: 'Streamlabs Desktop', labels: STREAMLABS },
  { family: 'ffmpeg', heading: 'FFmpeg', labels: FFMPEG },
  { family: 'gstreamer', heading: 'GStreamer', labels: GSTREAMER },
  { family: 'vmix', heading: 'vMix', labels: VMIX },
  { family: 'wirecast', heading: 'Wirecast', labels: WIRECAST },
  { family: 'larix', heading: 'Larix Broadcaster', labels: LARIX },
  { family: 'xsplit', heading: 'XSplit Broadcaster', labels: XSPLIT },
  { family: 'hardware', heading: 'Hardware', labels: HARDWARE },
];

/**
 * Faults that no encoder setting causes: events, media that is not live, and faults of the service. A family has its own
 * remedy for them only where one of its options helps.
 */
const WITHOUT_SETTING = new Set([
  ...[6102, 6217, 6403, 6404, 6407, 6501, 6502, 6503, 6504, 6505, 6506, 6507, 6508, 6509, 6511, 6512, 6513, 6601, 6602],
  // Beyond the published document: mostly faults of an encoder or a relay. Settings stand in the general remedy.
  ...LIVE_RULES.filter(({ entry }) => entry.analysis).map(({ entry }) => entry.code),
]);

/** Codes whose settings differ between Simple and Advanced. */
const BY_MODE = [6202, 6203, 6208, 6209, 6210, 6211, 6214, 6215, 6406, 6408];

/** Capitalized words that are not labels: sentence starts, products, standards and values. */
const WORDS =
  /^(In|On|With|Remove|Original|Main|Baseline|Stereo|OBS|FFmpeg|FFMPEG|Streamlabs|Desktop|GStreamer|Larix|Wirecast|XSplit|CoreAudio|H264|H|HEVC|AVC|AAC|AAC-LC|HE-AAC|LC|CBR|NVENC|P1|P3|HDR|NV12|I420)$/;

const codes = [...LIVE_RULES.map(({ entry }) => entry.code), ...Object.values(SERVICE_CODES)];

function remedy(code: number, family: string): string {
  return remedyFor(code, { family, name: '', version: '' });
}

function settingsOf({ settings, standard, simple, advanced }: Family['labels']): string[] {
  return [settings, standard, simple, advanced].flatMap((names) => Object.values(names ?? {}));
}

/** Longest first, so that "Video Bitrate" does not match as "Bitrate"; matches whole words only. */
function anyOf(labels: readonly string[]): RegExp {
  const sorted = [...new Set(labels)].sort((a, b) => b.length - a.length);
  const escaped = sorted.map((label) => label.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![\\w-])(?:${escaped.join('|')})(?![\\w-])`, 'g');
}

function named(text: string, { labels }: Family): Set<string> {
  return new Set(text.match(anyOf([...Object.values(labels.places), ...settingsOf(labels)])) ?? []);
}

function namesOneOf(text: string, family: Family, wanted: readonly string[]): boolean {
  const found = named(text, family);
  return wanted.some((label) => found.has(label));
}

test('lists exactly the families that have remedies', () => {
  expect(FAMILIES.map(({ family }) => family)).toEqual([...FAMILY_REMEDIES.keys()]);
});

describe.each(FAMILIES)('$family', (each) => {
  const { family, labels } = each;

  test.each(codes)('%i names a setting', (code) => {
    const own = FAMILY_REMEDIES.get(family)?.[code];
    if (own === undefined && WITHOUT_SETTING.has(code)) {
      expect(generalRemedy(code)).not.toBe('');
      expect(remedy(code, family)).toBe(remedyFor(code));
      return;
    }
    expect(own).toBeDefined();
    // 6403 concerns all settings, not a single one.
    const wanted = code === 6403 ? [...Object.values(labels.places), ...settingsOf(labels)] : settingsOf(labels);
    expect([remedy(code, family), namesOneOf(remedy(code, family), each, wanted)]).toEqual([
      own?.replace('{target}', 'less than the uplink carries'),
      true,
    ]);
  });

  test('writes every setting name through a label', () => {
    const all = anyOf([...Object.values(labels.places), ...settingsOf(labels)]);
    for (const [code, text] of Object.entries(FAMILY_REMEDIES.get(family) ?? {})) {
      const rest = text.replace(all, ' ');
      const capitals = (rest.match(/(?<![\w-])[A-Z][\w-]*/g) ?? []).filter((word) => !WORDS.test(word));
      const options = rest.match(/(?<=[\s(])-[a-z][\w:-]*/g) ?? [];
      const properties = (family === 'gstreamer' && rest.match(/(?<=[\s,])[a-z][\w-]*(?==)/g)) || [];
      expect([code, ...capitals, ...options, ...properties]).toEqual([code]);
    }
  });

  test('uses every label', () => {
    const texts = Object.values(FAMILY_REMEDIES.get(family) ?? {});
    const used = new Set(texts.flatMap((text) => [...named(text, each)]));
    const own = [labels.places, labels.settings, labels.simple, labels.advanced].flatMap((names) =>
      Object.values(names ?? {}),
    );
    expect(own.filter((label) => !used.has(label))).toEqual([]);
  });

  test('has a source, or a note that there is none, for each label in the decision record', () => {
    const decision = readFileSync(new URL('../../docs/decisions/0011-remedies-checked.md', import.meta.url), 'utf8');
    const section = decision.split(/^## /m).find((part) => part.startsWith(`${each.heading}\n`)) ?? '';
    const quoted = new Set([...section.matchAll(/`([^`]+)`/g)].map(([, label]) => label));
    const own = [labels.places, labels.settings, labels.simple, labels.advanced].flatMap((names) =>
      Object.values(names ?? {}),
    );
    expect(own.filter((label) => !quoted.has(label))).toEqual([]);
    expect(labels.standard === undefined || /standards' terms/.test(section)).toBe(true);
  });
});

describe.each(FAMILIES.filter(({ labels }) => labels.simple !== undefined))('$family in both output modes', (each) => {
  test.each(BY_MODE)('%i names the settings of both Simple and Advanced', (code) => {
    const text = remedy(code, each.family);
    expect(namesOneOf(text, each, Object.values(each.labels.simple ?? {}))).toBe(true);
    expect(namesOneOf(text, each, Object.values(each.labels.advanced ?? {}))).toBe(true);
    expect(text).toMatch(/\bSimple\b/);
    expect(text).toMatch(/\bAdvanced\b/);
  });
});
