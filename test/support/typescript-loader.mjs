// Lets a child process of a test run TypeScript sources: node --import <this file> child.ts
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { compiling } from './compiling.cjs';

if (isMainThread) register(import.meta.url);

/** Substitutions in source files, to put faults back (test/simulation/patches.ts). */
const CHANGES = JSON.parse(process.env.SIMULATED_FAULT ?? '[]');

function changed(url, source) {
  return CHANGES.filter(({ file }) => url.endsWith(`/${file}`)).reduce((text, { file, from, to }) => {
    if (text.split(from).length !== 2) throw new Error(`the change does not apply to ${file}: ${from}`);
    return text.replace(from, to);
  }, source);
}

const TESTS = new URL('../', import.meta.url).href;
const JEST_GLOBALS = new URL('./jest-globals.mjs', import.meta.url).href;

/** Modules of `test` that a test file of Jest loads bear its number (native-runtime.cjs), so that each file has its own. */
const RUN = /\?run=\d+$/;

export async function resolve(specifier, context, next) {
  const run = context.parentURL?.match(RUN)?.[0];
  if (run === undefined) return resolveSource(specifier, context, next);
  if (specifier === '@jest/globals') return { url: `${JEST_GLOBALS}${run}`, format: 'module', shortCircuit: true };
  const found = await resolveSource(specifier, context, next);
  return found.url.startsWith(TESTS) && !found.url.includes('?') ? { ...found, url: `${found.url}${run}` } : found;
}

async function resolveSource(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL !== undefined) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

/** Compiled text by address without the number of a run. */
const compiled = new Map();

export async function load(url, context, next) {
  const file = url.replace(RUN, '');
  if (!file.endsWith('.ts')) return next(url, context);
  if (!compiled.has(file)) compiled.set(file, compile(file));
  return { format: 'module', source: await compiled.get(file), shortCircuit: true };
}

async function compile(url) {
  const { transform } = await import('@swc/core');
  const path = fileURLToPath(url);
  const { code } = await transform(changed(url, await readFile(path, 'utf8')), compiling(path));
  return code;
}
