/** Which records a cause explains, and how their text names it. */
import { byteLength, SHOWN_BYTES } from '../lib/text.js';

/** By code of the cause: codes of the faults that it produces. */
const EXPLAINS: Readonly<Record<number, readonly number[]>> = {
  6901: [6406, 6408, 6401, 6402],
  6902: [6406],
  6903: [6406, 6408, 6410, 6206],
  6904: [6211],
  6905: [6406, 6408, 6410, 6206],
  6906: [],
  6907: [6404, 6406, 6401, 6402],
  6908: [6406, 6407],
};

export const CAUSE_CODES: readonly number[] = Object.keys(EXPLAINS).map(Number);

export function explains(cause: number, code: number): boolean {
  return EXPLAINS[cause]?.includes(code) === true;
}

/** `[6902 UPLINK_TOO_SMALL] The uplink carries 1.9 of 2.5 Mbit/s. …` → `the uplink carries 1.9 of 2.5 Mbit/s`. */
export function reasonOf(causeDescription: string): string {
  const sentence = /^\[[^\]]*\] (.*?)(?:;|\.(?: |$))/.exec(causeDescription)?.[1] ?? '';
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** The reason that `withReason` put into a description; undefined if there was no room for it. */
export function reasonIn(description: string): string | undefined {
  return / because ([^;]*?)(?:; |\.(?: |$))/.exec(description)?.[1];
}

/** The description with the reason behind the observation. The remedy is left out where the text would be too long. */
export function withReason(description: string, remediation: string, reason: string): string {
  const tail = remediation !== '' && description.endsWith(` ${remediation}`) ? ` ${remediation}` : '';
  const head = description.slice(0, description.length - tail.length);
  const semicolon = head.indexOf('; ');
  const at = semicolon >= 0 ? semicolon : head.length - 1;
  const sentence = `${head.slice(0, at)} because ${reason}${head.slice(at)}`;
  if (byteLength(sentence) > SHOWN_BYTES) return description;
  return byteLength(sentence + tail) <= SHOWN_BYTES ? sentence + tail : sentence;
}
