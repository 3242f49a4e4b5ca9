/** What to change and where, for the encoder that was recognised; else for any. */
import { GENERAL_REMEDIES } from './general.js';

/** As far as the media side recognised it. */
export interface RecognisedEncoder {
  readonly family: string;
  readonly name: string;
  readonly version: string;
}

/** A remedy for a catalogue code; '' for a code that has none. */
export function remedyFor(code: number, _encoder?: RecognisedEncoder): string {
  return GENERAL_REMEDIES[code] ?? '';
}
