/**
 * Stream keys: `<id>-<secret>`, where the id is that of a live video (or of a Page, for its persistent key) and the secret is
 * 160 bits derived from the server key. Keys are derived on demand and not stored; a new version invalidates all older keys.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { acceptedKeys, type PreviousKey } from '../lib/server-keys.js';
import { copied } from '../lib/text.js';
import type { InputNumber } from '../lifecycle/documents.js';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const SECRET_BYTES = 20;

/** RFC 4648 §6 in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let heldBits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    heldBits += 8;
    while (heldBits >= 5) {
      heldBits -= 5;
      text += BASE32[(held >> heldBits) & 31];
    }
  }
  return text;
}

function deriveSecret(serverKey: Uint8Array, id: string, version: number, input: InputNumber): string {
  const subject = `airlock stream key\n${id}\n${version}${input === '0' ? '' : '\nbackup'}`;
  const mac = createHmac('sha256', serverKey).update(subject, 'utf8').digest();
  return base32(mac.subarray(0, SECRET_BYTES));
}

/** `<id>-<32 characters of base32>`. Each input stream of a live video has a key of its own. */
export function deriveStreamKey(serverKey: Uint8Array, id: string, version: number, input: InputNumber = '0'): string {
  return `${id}-${deriveSecret(serverKey, id, version, input)}`;
}

/** Whether `secret` belongs to (id, version, input), compared in constant time. */
export function verifyStreamSecret(
  serverKey: Uint8Array,
  id: string,
  version: number,
  secret: string,
  input: InputNumber = '0',
): boolean {
  const expected = Buffer.from(deriveSecret(serverKey, id, version, input), 'latin1');
  const offered = Buffer.from(secret, 'utf8');
  return offered.length === expected.length && timingSafeEqual(offered, expected);
}

export interface PublishName {
  readonly id: string;
  readonly secret: string;
  /** Query parameters after the key and after the app: `preflight` is `1` for `?preflight=1`. */
  readonly params: ReadonlyMap<string, string>;
}

/** Form of a stream key; ids have at most 63 bits. */
const KEY = /^(\d{1,19})-([a-z2-7]{32})$/;
const MAX_NAME_LENGTH = 4096;
const MAX_PARAMS = 32;

/**
 * Finds the stream key in the publish name and the app that an encoder sent. The key is the last path element of the name;
 * if that is no key (encoders with one URL field, or whose URL splitter cut inside the query), the last one of the app.
 * Quotes and blanks of a pasted key are removed; letters are case-insensitive. Undefined when neither contains a key.
 */
export function parsePublishName(name: string, app: string): PublishName | undefined {
  if (name.length > MAX_NAME_LENGTH || app.length > MAX_NAME_LENGTH) return undefined;
  const [namePath, nameQuery] = splitQuery(name);
  const [appPath, appQuery] = splitQuery(app);
  const match = lastElement(namePath).match(KEY) ?? lastElement(appPath).match(KEY);
  if (match === null) return undefined;
  const [, matched = '', secret = ''] = match;
  // The id outlives the publish in bounds of the log and in records.
  const id = copied(matched);
  const params = new Map<string, string>();
  for (const query of [appQuery, nameQuery]) {
    for (const [key, value] of new URLSearchParams(query)) {
      if (params.size < MAX_PARAMS || params.has(key)) params.set(key, value);
    }
  }
  return { id, secret, params };
}

function splitQuery(text: string): [path: string, query: string] {
  const plain = text.trim().replace(/^["']|["']$/g, '');
  const at = plain.indexOf('?');
  return at < 0 ? [plain, ''] : [plain.slice(0, at), plain.slice(at + 1)];
}

function lastElement(path: string): string {
  const elements = path.split('/').filter((element) => element.trim() !== '');
  return (elements.at(-1) ?? '').trim().toLowerCase();
}

/** Stream key functions bound to one server key; keys of the previous one match too while it is accepted. */
export function streamKeys(serverKey: Uint8Array, previous?: PreviousKey, wallMs: () => number = Date.now) {
  return Object.freeze({
    derive: (id: string, version: number, input: InputNumber = '0') => deriveStreamKey(serverKey, id, version, input),
    parse: parsePublishName,
    matches: (id: string, version: number, secret: string, input: InputNumber = '0') =>
      acceptedKeys(serverKey, previous, wallMs()).some((key) => verifyStreamSecret(key, id, version, secret, input)),
  });
}
