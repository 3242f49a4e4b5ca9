// Lets a child process of a test run TypeScript sources: node --import <this file> child.ts
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

/** Substitutions in source files, to put faults back (test/simulation/patches.ts). */
const CHANGES = JSON.parse(process.env.SIMULATED_FAULT ?? '[]');

function changed(url, source) {
  return CHANGES.filter(({ file }) => url.endsWith(`/${file}`)).reduce((text, { file, from, to }) => {
    if (text.split(from).length !== 2) throw new Error(`the change does not apply to ${file}: ${from}`);
    return text.replace(from, to);
  }, source);
}

export async function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL !== undefined) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { transform } = await import('@swc/core');
  const { code } = await transform(changed(url, await readFile(fileURLToPath(url), 'utf8')), {
    filename: fileURLToPath(url),
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
