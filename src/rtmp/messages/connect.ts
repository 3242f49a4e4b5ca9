import { type AmfObject, type AmfValue, amfObject, isAmfObject } from '../amf/amf-value.js';
import { type Capabilities, readCapabilities } from './capabilities.js';
import type { Command } from './command.js';

/** Fields of the connect command (RTMP 1.0 7.2.1.1). Absent strings are empty. */
export interface ConnectInfo {
  /** App as sent, including a query; surrounding quotes and leading and trailing slashes removed. */
  readonly app: string;
  readonly tcUrl: string;
  readonly flashVer: string;
  /** 0 or 3. Answers are always AMF0, which every client supports. */
  readonly objectEncoding: number;
  /** Capabilities of Enhanced RTMP; undefined if the client sent none. */
  readonly capabilities: Capabilities | undefined;
  /** The complete command object, with other members (`supportsGoAway`). */
  readonly properties: Readonly<AmfObject>;
}

export function readConnect(command: Command): ConnectInfo {
  const properties = isAmfObject(command.object) ? command.object : amfObject();
  // Some encoders write `tcurl`, and quote values.
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
    capabilities: readCapabilities(properties),
    properties,
  };
}

/** Trims slashes at both ends. Linear; a regular expression would backtrack over each run of slashes. */
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
