/** How the text of a record names its cause. */
import { byteLength, SHOWN_BYTES } from '../lib/text.js';

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
