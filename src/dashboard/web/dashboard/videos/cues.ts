/** The cues of a WebVTT file, for display. Pure. */
export interface Cue {
  readonly fromMs: number;
  readonly text: string;
}

const TIMES = /^(?:(\d{2,}):)?(\d{2}):(\d{2})\.(\d{3}) +-->/;

export function cuesOf(webvtt: string): readonly Cue[] {
  return webvtt.split(/\r?\n\r?\n/).flatMap((block) => {
    const lines = block.trim().split(/\r?\n/);
    const at = lines.findIndex((line) => TIMES.test(line));
    const [, hours = '0', minutes, seconds, millis] = TIMES.exec(lines[at] ?? '') ?? [];
    if (minutes === undefined) return [];
    const fromMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(millis);
    const text = lines
      .slice(at + 1)
      .join('\n')
      .replace(/<[^>]*>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    return [{ fromMs, text }];
  });
}
