/** A Lua script with its SHA-1, for EVALSHA. */
import { createHash } from 'node:crypto';

export interface Script {
  readonly lua: string;
  readonly sha: string;
}

export function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}
