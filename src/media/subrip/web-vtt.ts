/** Captions as WebVTT (W3C, 4.1), which is what browsers play. */
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

/** Only the three tags that both formats know stay tags; positions and fonts of SubRip are left out. */
function escaped(text: string): string {
  return (
    text
      .replace(/\{\\an?\d+\}/g, '')
      // Not beyond the next `<`: else every one that does not end is looked along to the end of the text.
      .replace(/<\/?font[^<>]*>/gi, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replace(KEPT_TAG, (_whole, tag: string) => `<${tag.toLowerCase()}>`)
  );
}
