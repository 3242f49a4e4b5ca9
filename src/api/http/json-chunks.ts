/** JSON of large answers, made piece by piece in slices of the event loop; `JSON.stringify` would hold it for all of it. */
import { createHash } from 'node:crypto';
import { isRecord } from '../../lib/objects.js';
import { API_LIMITS } from '../context/limits.js';

/** Characters of one piece. */
const PIECE = 64 * 1024;
/** Values between two looks at the clock. */
const VALUES = 64;

export interface Slices {
  isOver(): boolean;
  next(): Promise<void>;
}

export class JsonChunks {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  /** Of the text in one piece, in base64url. */
  readonly sha1: string;

  constructor(chunks: readonly Buffer[], sha1: string) {
    this.chunks = chunks;
    this.bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    this.sha1 = sha1;
  }

  toString(): string {
    return Buffer.concat(this.chunks).toString();
  }
}

/** In one piece while answers are small. `bytes`: about what the text will have. */
export async function jsonOf(body: unknown, bytes: number, slices: Slices): Promise<string | JsonChunks> {
  if (typeof body === 'string') return body;
  return bytes <= API_LIMITS.wholeJsonBytes ? JSON.stringify(body) : jsonChunks(body, slices);
}

/** The text of `JSON.stringify(value)`, for values that are data: no `toJSON`, no functions. */
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
    if (text.length >= PIECE) flush();
    values += 1;
    if (values % VALUES === 0 && slices.isOver()) await slices.next();
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

/** A pair of surrogates that is cut becomes two escapes, which are read as the same character. */
function* stringPieces(value: string): Generator<string> {
  if (value.length <= PIECE) {
    yield JSON.stringify(value);
    return;
  }
  yield '"';
  for (let at = 0; at < value.length; at += PIECE) yield JSON.stringify(value.slice(at, at + PIECE)).slice(1, -1);
  yield '"';
}
