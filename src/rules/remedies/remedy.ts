/** Selects the remedy for the recognized encoder, or the general one. */
import { LIVE, PUBLISHED_LIVE } from '../../spec/live.js';
import { CATALOGUE, generalRemedy } from '../registry/catalogue.js';
import { FFMPEG_REMEDIES, GSTREAMER_REMEDIES } from './command-lines.js';
import { HARDWARE_REMEDIES } from './hardware.js';
import type { Remedies } from './labels.js';
import { LARIX_REMEDIES } from './larix.js';
import { OBS_REMEDIES } from './obs.js';
import { STREAMLABS_REMEDIES } from './streamlabs.js';
import { VMIX_REMEDIES } from './vmix.js';
import { WIRECAST_REMEDIES } from './wirecast.js';
import { XSPLIT_REMEDIES } from './xsplit.js';

export interface RecognizedEncoder {
  readonly family: string;
  readonly name: string;
  readonly version: string;
}

/** Remedies by encoder family; the general remedy covers missing codes. */
export const FAMILY_REMEDIES: ReadonlyMap<string, Remedies> = new Map([
  ['obs', OBS_REMEDIES],
  ['streamlabs', STREAMLABS_REMEDIES],
  ['ffmpeg', FFMPEG_REMEDIES],
  ['gstreamer', GSTREAMER_REMEDIES],
  ['vmix', VMIX_REMEDIES],
  ['wirecast', WIRECAST_REMEDIES],
  ['larix', LARIX_REMEDIES],
  ['xsplit', XSPLIT_REMEDIES],
  ['hardware', HARDWARE_REMEDIES],
]);

/** Codes whose numbers an operator changed: only the general remedy follows the numbers in force. */
const CHANGED: ReadonlySet<number> = new Set(
  CATALOGUE.flatMap(({ code, bounds }) =>
    bounds.some((part) => JSON.stringify(LIVE[part]) !== JSON.stringify(PUBLISHED_LIVE[part])) ? [code] : [],
  ),
);

/** In place of `{target}` where the number is not known. */
const NO_TARGET = 'less than the uplink carries';

/** The remedy for a catalogue code; '' for an unknown code. `values`: numbers of the record (`{target}`). */
export function remedyFor(
  code: number,
  encoder?: RecognizedEncoder,
  values: Readonly<Record<string, string>> = {},
): string {
  const ofFamily = CHANGED.has(code) ? undefined : FAMILY_REMEDIES.get(encoder?.family ?? '')?.[code];
  const text = ofFamily ?? generalRemedy(code);
  return text.replace('{target}', values.target ?? NO_TARGET);
}
