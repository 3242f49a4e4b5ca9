/** `airlock.config.json`, in the working folder or one above it: options of `validate` for a whole project. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf, fileProblem } from '../../lib/errors.js';
import { isRecord } from '../../lib/objects.js';
import { CliError } from '../console/exit.js';

const CONFIG_FILE = 'airlock.config.json';

/** Options that the file may set; paths are relative to the file. */
const PATHS = new Set(['expect', 'baseline', 'output']);
const FLAGS = new Set(['quiet', 'verbose']);

/** The options of the nearest file, by name. @throws CliError for a file that cannot be used */
export function readConfigFile(cwd: string, allowed: ReadonlySet<string>): Readonly<Record<string, string | boolean>> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, CONFIG_FILE);
    const text = textOf(path);
    if (text !== undefined) return optionsOf(text, path, allowed);
    if (dirname(folder) === folder) return {};
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw new CliError(`${path} cannot be read: ${fileProblem(error)}`);
  }
}

function optionsOf(text: string, path: string, allowed: ReadonlySet<string>): Record<string, string | boolean> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new CliError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const section = isRecord(content) && content.validate !== undefined ? content.validate : content;
  if (!isRecord(section)) throw new CliError(`${path} must contain an object`);
  const options: Record<string, string | boolean> = {};
  for (const [name, value] of Object.entries(section)) {
    if (name === '$schema') continue;
    if (!allowed.has(name)) throw new CliError(`${path}: ${name} is not an option of validate`);
    options[name] = optionValue(name, Array.isArray(value) ? value.join(',') : value, path);
  }
  return options;
}

function optionValue(name: string, value: unknown, path: string): string | boolean {
  if (FLAGS.has(name)) {
    if (typeof value === 'boolean') return value;
    throw new CliError(`${path}: ${name} must be true or false`);
  }
  if (typeof value !== 'string') throw new CliError(`${path}: ${name} must be a text`);
  return PATHS.has(name) ? resolve(dirname(path), value) : value;
}
