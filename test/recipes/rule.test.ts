/**
 * The recipe for a rule (CONTRIBUTING.md): an example in its two places, from the catalogue to the page.
 *
 * @jest-environment node
 */
import { jest } from '@jest/globals';
import { videoPortrait } from './rule/video-portrait.js';

// The registry.
const rules = await import('../../src/rules/registry/rules.js');
jest.unstable_mockModule('../../src/rules/registry/rules.js', () => ({
  ...rules,
  LIVE_RULES: [...rules.LIVE_RULES, videoPortrait],
}));
const { catalogueEntry } = await import('../../src/rules/registry/catalogue.js');
const { SPEC_ROWS } = await import('../../src/dashboard/web/shared/spec-rows.js');
const { codesOf, judgeStream, only } = await import('../rules/harness.js');

const PORTRAIT = { width: 720, height: 1280, durationMs: 3_000 };

test('raises a record that says what was observed and what to change', () => {
  expect(only(judgeStream(PORTRAIT), 6999).description).toBe(
    '[6999 VIDEO_PORTRAIT] The video is portrait; it must be landscape. Set a landscape resolution.',
  );
});

test('raises nothing for a stream that conforms', () => {
  expect(codesOf({ durationMs: 3_000 })).toEqual([]);
});

test('is in the catalogue and on the page', () => {
  expect(catalogueEntry(6999).type).toBe('VIDEO_PORTRAIT');
  expect(SPEC_ROWS.find(({ id }) => id === 'resolution')?.codes).toContain(6999);
});
