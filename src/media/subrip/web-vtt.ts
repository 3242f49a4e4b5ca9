/** Captions as WebVTT (W3C, 4.1), the format that browsers support. */
import type { Cue } from './subrip.js';

export function webVtt(cues: readonly Cue[]): string {
  const blocks = cues
    .filter((cue) => cue.text !== '')
    .map((cue) => `${time(cue.startMs)} --> ${time(cue.endMs)}\n${escaped(cue.text)}\n`);
  return `WEBVTT\n\n${blocks.join('\n')}`;
}

function time(ms: number): string {
  const part = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0');
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((value) => part(value, 2));
  return `${clock.join(':')}.${part(ms % 1000, 3)}`;
}

const KEPT_TAG = /&lt;(\/?[biu])&gt;/gi;

/** Keeps the three tags common to both formats (b, i, u); removes SubRip's positions and fonts. */
function escaped(text: string): string {
  return (
    text
      .replace(/\{\\an?\d+\}/g, '')
      // Excludes `<`: otherwise each unterminated tag is scanned to the end of the text, which is quadratic.
      .replace(/<\/?font[^<>]*>/gi, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replace(KEPT_TAG, (_whole, tag: string) => `<${tag.toLowerCase()}>`)
  );
}
