/** The remedies of all open errors as one thing to do. Pure. */
import { filledRemedy } from '../../../lib/filled-remedy.js';
import type { ErrorView } from '../../../spec/error-view.js';

export interface Advice {
  /** Each once, errors before warnings. */
  readonly steps: readonly string[];
  /** For the clipboard. */
  readonly text: string;
  /** The options of a command line, if the steps are nothing but options and none contradicts another. */
  readonly options: readonly string[];
}

const RANK: Readonly<Record<ErrorView['severity'], number>> = { error: 0, warning: 1, info: 2 };

const WITH_VALUE = /-[\w:-]+ (?:"[^"]*"|\w[^\s",;()]*)/g;
const ONLY_OPTIONS = new RegExp(`^[^:]+: ((?:${WITH_VALUE.source} ?)+)\\.$`);

/** The options of `With ffmpeg: -c:a aac -ac 2.`; none of a step that also says something else, as "lower -b:v". */
function optionsOf(step: string): readonly string[] {
  return ONLY_OPTIONS.exec(step)?.[1]?.match(WITH_VALUE) ?? [];
}

/** `frameRateClass`: of the stream, where it is known: a remedy that depends on it then says one value. */
export function adviceOf(open: readonly ErrorView[], frameRateClass?: 30 | 60): Advice {
  const ordered = [...open].sort((a, b) => RANK[a.severity] - RANK[b.severity] || a.sequence - b.sequence);
  const steps = [
    ...new Set(
      ordered.map(({ remediation }) => filledRemedy(remediation, frameRateClass)).filter((text) => text !== ''),
    ),
  ];
  const all = steps.map(optionsOf);
  const named = [...new Set(all.flat())];
  const names = new Set(named.map((option) => option.split(' ')[0]));
  const isOneLine = names.size === named.length && all.every((found) => found.length > 0);
  const options = isOneLine ? named : [];
  return { steps, text: steps.join('\n'), options };
}
