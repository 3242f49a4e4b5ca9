/**
 * The operator's file of bounds (`--spec FILE.json`, AIRLOCK_SPEC). It is read before the modules of a command are loaded, since
 * the specification, its tables and its texts are data that is evaluated once.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isRecord } from '../../lib/objects.js';
import { adoptHouseSpec } from '../../spec/house.js';

export interface SpecSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The values of `validate --spec` that name no file. */
const NAMED = new Set(['live', 'upload']);

/** Puts the numbers of the file in force, if one is named. Returns what is wrong with it. */
export async function adoptGivenSpec(args: readonly string[], sources: SpecSources): Promise<string | undefined> {
  const path = specPath(args, sources);
  if (path === undefined) return undefined;
  const { readHouseFile } = await import('../../config/house-file.js');
  try {
    const house = readHouseFile(path);
    adoptHouseSpec(house);
    // Loaded after the numbers are in force, which it reads as it is evaluated.
    const { unknownNames } = await import('../../check/house-names.js');
    const problems = unknownNames(house);
    return problems.length === 0 ? undefined : `${path}: ${problems.join('; ')}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The flag, the variable, the config file of the server, the config file of `validate`: the first one counts. */
function specPath(args: readonly string[], { env, cwd }: SpecSources): string | undefined {
  const flag = flagValue(args, '--spec');
  if (flag !== undefined && !NAMED.has(flag)) return resolve(cwd, flag);
  if (env.AIRLOCK_SPEC) return resolve(cwd, env.AIRLOCK_SPEC);
  if (args[0] === 'validate') return flag === undefined ? ofProject(cwd) : undefined;
  const config = flagValue(args, '--config') ?? env.AIRLOCK_CONFIG;
  const path = config ? specIn(resolve(cwd, config)) : undefined;
  return path === undefined ? undefined : resolve(cwd, path);
}

function flagValue(args: readonly string[], flag: string): string | undefined {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  const at = options.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return options[at] === flag ? options[at + 1] : options[at]?.slice(flag.length + 1);
}

/** `airlock.config.json` here or above. */
function ofProject(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = specIn(join(folder, 'airlock.config.json'));
    if (found !== undefined) return NAMED.has(found) ? undefined : resolve(folder, found);
    if (dirname(folder) === folder) return undefined;
  }
}

/** The command itself reports a config file that cannot be used. */
function specIn(path: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const section = isRecord(content) && isRecord(content.validate) ? content.validate : content;
    return isRecord(section) && typeof section.spec === 'string' ? section.spec : undefined;
  } catch {
    return undefined;
  }
}
