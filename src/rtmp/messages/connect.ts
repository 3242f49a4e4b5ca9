import { type AmfObject, type AmfValue, amfObject, isAmfObject } from '../amf/amf-value.js';
import type { Command } from './command.js';

/** What the connect command says (RTMP 1.0 7.2.1.1), each text empty when absent. */
export interface ConnectInfo {
  /** As sent, with its query if it has one; surrounding quotes and slashes at either end removed. */
  readonly app: string;
  readonly tcUrl: string;
  readonly flashVer: string;
  /** 0 or 3. Answers are always AMF0, which every client understands. */
  readonly objectEncoding: number;
  /** The whole command object: encoders put more into it (`fourCcList`, `capsEx`, `supportsGoAway`). */
  readonly properties: Readonly<AmfObject>;
}

export function readConnect(command: Command): ConnectInfo {
  const properties = isAmfObject(command.object) ? command.object : amfObject();
  // Some encoders write `tcurl`, and put values in quotes (rtmp-interop C7).
  const byLowerCase = new Map<string, AmfValue>();
  for (const [key, value] of Object.entries(properties)) byLowerCase.set(key.toLowerCase(), value);
  const text = (key: string): string => {
    const value = byLowerCase.get(key);
    return typeof value === 'string' ? unquote(value.trim()) : '';
  };
  return {
    app: withoutSlashes(text('app')),
    tcUrl: text('tcurl'),
    flashVer: text('flashver'),
    objectEncoding: byLowerCase.get('objectencoding') === 3 ? 3 : 0,
    properties,
  };
}

/** Without those at both ends; one look at each, since a pattern would look along every run of them from each of its slashes. */
function withoutSlashes(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === '/') from++;
  while (to > from && text[to - 1] === '/') to--;
  return text.slice(from, to);
}

function unquote(text: string): string {
  const first = text[0];
  return text.length >= 2 && (first === '"' || first === "'") && text.endsWith(first) ? text.slice(1, -1) : text;
}
