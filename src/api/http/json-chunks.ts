/** Serializes large responses in slices of the event loop; `JSON.stringify` would block it for the whole response. */
import { createHash } from 'node:crypto';
import { isRecord } from '../../lib/objects.js';
import { API_LIMITS } from '../context/limits.js';
import { JsonChunks } from '../graph/json-text.js';

/** Characters per chunk. */
const PIECE = 64 * 1024;
/** Values between two checks of the slice clock; it is checked after each chunk too. */
const VALUES = 64;

export interface Slices {
  isOver(): boolean;
  next(): Promise<void>;
}

/** Small responses are serialized in one piece. `bytes`: estimated length of the text. */
export async function jsonOf(body: unknown, bytes: number, slices: Slices): Promise<JsonChunks> {
  if (body instanceof JsonChunks) return body;
  return bytes <= API_LIMITS.wholeJsonBytes ? JsonChunks.of(body) : jsonChunks(body, slices);
}

/** Same text as `JSON.stringify(value)`, for plain data: no `toJSON`, no functions. */
export async function jsonChunks(value: unknown, slices: Slices): Promise<JsonChunks> {
  const chunks: Buffer[] = [];
  const hash = createHash('sha1');
  let text = '';
  const flush = () => {
    const chunk = Buffer.from(text);
    hash.update(chunk);
    chunks.push(chunk);
    text = '';
  };
  let values = 0;
  for (const piece of piecesOf(value)) {
    text += piece;
    values += 1;
    const isFull = text.length >= PIECE;
    if (isFull) flush();
    if ((isFull || values % VALUES === 0) && slices.isOver()) await slices.next();
  }
  flush();
  return new JsonChunks(chunks, hash.digest('base64url'));
}

function* piecesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* stringPieces(value);
  else if (Array.isArray(value)) {
    yield '[';
    for (const [index, each] of value.entries()) {
      if (index > 0) yield ',';
      yield* piecesOf(each);
    }
    yield ']';
  } else if (isRecord(value)) {
    yield '{';
    let isFirst = true;
    for (const [name, each] of Object.entries(value)) {
      if (each === undefined) continue;
      yield `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
      isFirst = false;
      yield* piecesOf(each);
    }
    yield '}';
  } else yield JSON.stringify(value) ?? 'null';
}

/** A surrogate pair split between pieces becomes two escapes, which decode to the same character. */
function* stringPieces(value: string): Generator<string> {
  if (value.length <= PIECE) {
    yield JSON.stringify(value);
    return;
  }
  yield '"';
  for (let at = 0; at < value.length; at += PIECE) yield JSON.stringify(value.slice(at, at + PIECE)).slice(1, -1);
  yield '"';
}
