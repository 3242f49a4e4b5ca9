/** Codes and messages of unknown errors. */
import { isObject } from './objects.js';

/** The stable code of an error (`ENOENT`, `BAD_CONFIG`), or empty for an error without one. */
export function codeOf(error: unknown): string {
  return isObject(error) && 'code' in error ? String(error.code) : '';
}

export function isCode(error: unknown, code: string): boolean {
  return isObject(error) && 'code' in error && error.code === code;
}

/** Never empty: the error of a connection to several addresses has a code only. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)) || codeOf(error) || 'unknown error';
}
