/** The remedies of all open errors as one thing to do. Pure. */
import { filledRemedy } from '../../../lib/filled-remedy.js';
import {
  ffmpegOptions,
  gstreamerElements,
  type ObsField,
  obsFields,
  type SentStream,
  targetFor,
} from '../../../rules/remedies/settings.js';
import type { ErrorView } from '../../../spec/error-view.js';

export interface Advice {
  /** Each once, errors before warnings. */
  readonly steps: readonly string[];
  /** For the clipboard. */
  readonly text: string;
  /** Settings with numbers for a command line: options of ffmpeg, elements of GStreamer. */
  readonly line?: { readonly what: string; readonly text: string };
  /** Fields of OBS and their values; empty for another encoder. */
  readonly fields: readonly ObsField[];
}

/** The stream that the records are of. */
export interface Sent extends SentStream {
  /** Name by the server: `FFmpeg (libavformat) 59.27.100`. */
  readonly encoder?: string;
}

const RANK: Readonly<Record<ErrorView['severity'], number>> = { error: 0, warning: 1, info: 2 };

/** `sent`: what is known of the stream: remedies and lines then say its values. */
export function adviceOf(open: readonly ErrorView[], sent: Sent = {}): Advice {
  const ordered = [...open].sort((a, b) => RANK[a.severity] - RANK[b.severity] || a.sequence - b.sequence);
  const remedies = ordered.map(({ remediation }) => filledRemedy(remediation, sent.frame_rate_class));
  const steps = [...new Set(remedies.filter((text) => text !== ''))];
  const { line, fields } = settingsOf(ordered, familyOf(sent.encoder, steps), sent);
  const isSaid = line === undefined || (steps.length === 1 && steps[0]?.endsWith(`: ${line.text}.`) === true);
  return {
    steps,
    text: [...steps, ...(isSaid ? [] : [line.text]), ...fields.map(fieldText)].join('\n'),
    ...(isSaid ? {} : { line }),
    fields,
  };
}

export const fieldText = ({ place, field, value }: ObsField): string => `${place} > ${field}: ${value}`;

type Family = 'ffmpeg' | 'gstreamer' | 'obs';

const FAMILIES: readonly (readonly [Family, RegExp])[] = [
  ['obs', /^OBS |^In OBS, /],
  ['ffmpeg', /^FFmpeg|^With ffmpeg\b/],
  ['gstreamer', /^GStreamer|^With GStreamer\b/],
];

/** By its name, or by the words of a remedy, which are those of the encoder. */
function familyOf(encoder: string | undefined, steps: readonly string[]): Family | undefined {
  const of = (text: string): Family | undefined => FAMILIES.find(([, pattern]) => pattern.test(text))?.[0];
  return of(encoder ?? '') ?? steps.map(of).find((family) => family !== undefined);
}

function settingsOf(
  broken: readonly ErrorView[],
  family: Family | undefined,
  sent: Sent,
): { readonly line?: NonNullable<Advice['line']>; readonly fields: readonly ObsField[] } {
  if (family === undefined) return { fields: [] };
  const target = targetFor(broken, sent);
  if (family === 'obs') return { fields: obsFields(target) };
  const [what, text] =
    family === 'ffmpeg'
      ? ['Output options for ffmpeg', ffmpegOptions(target)]
      : ['Elements for GStreamer', gstreamerElements(target)];
  return { ...(text === '' ? {} : { line: { what, text } }), fields: [] };
}
