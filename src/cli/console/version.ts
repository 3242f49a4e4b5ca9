import { readFileSync } from 'node:fs';

/** Version of the package that this program is part of. */
export function toolVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}
