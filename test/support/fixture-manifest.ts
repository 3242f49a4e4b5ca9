/** The table of fixtures in `fixtures/README.md`. */
import type { Fixture } from './fixtures.js';

const KINDS = { synth: 'synthetic', ffmpeg: 'ffmpeg', gstreamer: 'GStreamer', file: 'file' } as const;

const HEAD = '| Fixture | Made by | Errors | At the bound of | Cases | What it is for |';

export function manifest(fixtures: readonly Fixture[]): string {
  const rows = fixtures.map(({ name, recipe, expected }) => {
    const codes = expected.errors.map(({ code }) => code).join(' ') || 'none';
    const about = [recipe.title, recipe.readme].filter((text) => text !== '').join('. ');
    const bounds = (recipe.bounds ?? []).join(' ');
    const cases = (recipe.cases ?? []).join(' ');
    return `| \`${name}\` | ${KINDS[recipe.kind]} | ${codes} | ${bounds} | ${cases} | ${about} |`;
  });
  return [HEAD, '|---|---|---|---|---|---|', ...rows].join('\n');
}
