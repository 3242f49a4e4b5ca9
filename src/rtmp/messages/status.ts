import { SHOWN_BYTES, sentencesWithin } from '../../lib/text.js';
import { type AmfObject, amfObject } from '../amf/amf-value.js';

/** The information object of onStatus and `_error`. */
export interface StatusInfo {
  readonly level: 'status' | 'warning' | 'error';
  readonly code: string;
  readonly description: string;
  readonly [field: string]: string | number | boolean;
}

/**
 * Builds an AMF object with level, code and description first. The description is never empty: OBS and librtmp crash on an
 * `_error` without one.
 */
export function statusObject(info: StatusInfo): AmfObject {
  const { level, code, description, ...others } = info;
  const words = sentencesWithin(description, SHOWN_BYTES);
  return amfObject({ level, code, description: words === '' ? code : words, ...others });
}
