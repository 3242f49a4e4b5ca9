/** JSON of a response, as bytes with their digest. */
import { hash } from 'node:crypto';

export class JsonChunks {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  /** SHA-1 of the whole text, in base64url. */
  readonly sha1: string;

  constructor(chunks: readonly Buffer[], sha1: string) {
    this.chunks = chunks;
    this.bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    this.sha1 = sha1;
  }

  static of(value: unknown): JsonChunks {
    const bytes = Buffer.from(JSON.stringify(value));
    return new JsonChunks([bytes], hash('sha1', bytes, 'base64url'));
  }

  toString(): string {
    return Buffer.concat(this.chunks).toString();
  }
}

/** The body of an answer as data, whether or not it was serialized already. */
export function bodyData(body: unknown): unknown {
  return body instanceof JsonChunks ? JSON.parse(String(body)) : body;
}
