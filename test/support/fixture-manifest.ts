/** The table of fixtures in `fixtures/README.md`. */
import type { Fixture } from './fixtures.js';

const KINDS = { synth: 'synthetic', ffmpeg: 'ffmpeg', gstreamer: 'GStreamer', file: 'file' } as const;

export function manifest(fixtures: readonly Fixture[]): string {
  const rows = fixtures.map(({ name, recipe, expected }) => {
    const codes = expected.errors.map(({ code }) => code).join(' ') || 'none';
    const about = [recipe.title, recipe.readme].filter((text) => text !== '').join('. ');
    return `| \`${name}\` | ${KINDS[recipe.kind]} | ${codes} | ${(recipe.cases ?? []).join(' ')} | ${about} |`;
  });
  return ['| Fixture | Made by | Errors | Cases | What it is for |', '|---|---|---|---|---|', ...rows].join('\n');
}
