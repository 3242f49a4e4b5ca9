/** Checks the types of replies. A reply of an unexpected shape is a bug in our commands or scripts: TypeError. */
import type { NodeKind, StoredObject } from '../../ports/index.js';

export function textOf(reply: unknown): string {
  if (typeof reply === 'string') return reply;
  if (typeof reply === 'number') return String(reply);
  throw new TypeError(`unexpected reply from Redis: ${typeof reply}`);
}

export function textOrNothing(reply: unknown): string | undefined {
  return reply === null || reply === undefined ? undefined : textOf(reply);
}

export function numberOf(reply: unknown): number {
  const value = Number(textOf(reply));
  if (Number.isNaN(value)) throw new TypeError('unexpected reply from Redis: not a number');
  return value;
}

export function listOf(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw new TypeError(`unexpected reply from Redis: ${typeof reply} in place of a list`);
}

export function objectOf(id: string, reply: unknown): StoredObject | undefined {
  const text = textOrNothing(reply);
  if (text === undefined) return undefined;
  const match = /^(\d+)\|([a-z_]+)\|(\d+)\|(\d+)\|/.exec(text);
  if (match === null) throw new TypeError(`malformed stored object ${id}`);
  const [head, version, kind, createdMs, updatedMs] = match;
  const data: unknown = JSON.parse(text.slice(head.length));
  return {
    id,
    kind: kind as NodeKind,
    version: Number(version),
    createdMs: Number(createdMs),
    updatedMs: Number(updatedMs),
    data,
  };
}
