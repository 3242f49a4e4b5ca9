/** Texts as corpus, split into tokens. */
import type { Parts } from '../../support/fuzz.js';

export const textOf = (input: Uint8Array): string => Buffer.from(input).toString('utf8');

/** One byte for each character. */
export const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** Each text as its words and the separators between them. */
export const tokens = (...texts: readonly string[]): Parts[] =>
  texts.map((text) => (text.match(/\w+|[^\w]/g) ?? []).map(bytes));

export const lines = (...texts: readonly string[]): Parts[] => texts.map((text) => text.split(/(?<=\n)/).map(bytes));

/** Property names of every object, and numbers out of range. */
export const PROTOTYPE_WORDS = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'length',
  '\ud800',
  '\0',
  '99999999999999999999',
  '-1',
  '1e400',
];
