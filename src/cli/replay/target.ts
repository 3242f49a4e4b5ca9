/** The publish URL: `rtmps://host[:port]/app[/key]`. */
import { parsePublishUrl } from '../../rtmp/publish-url.js';
import { CliError } from '../console/exit.js';

export interface Target {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly app: string;
  readonly tcUrl: string;
  /** One per connection. */
  readonly keys: readonly string[];
}

/**
 * Without `--key` the last path element is the key. Each connection needs its own key; `{n}` in a key is replaced by the
 * connection number, from 1. `option` names where the URL comes from. @throws CliError
 */
export function parseTarget(to: string, given: readonly string[], connections: number, option = '--to'): Target {
  const url = parsePublishUrl(to);
  if (url === undefined) throw new CliError(`${option} must be like rtmps://localhost:1936/live/`);
  const { app, keyInPath } = splitPath(url.path, given.length > 0);
  const keys = keysFor(given.length > 0 ? given : [keyInPath], connections);
  const scheme = url.isSecure ? 'rtmps' : 'rtmp';
  return {
    secure: url.isSecure,
    host: url.host,
    port: url.port,
    app,
    tcUrl: `${scheme}://${url.shownHost}:${url.port}/${app}`,
    keys,
  };
}

/** A query is part of the key that it follows. */
function splitPath(rest: string, keyIsGiven: boolean): { app: string; keyInPath: string } {
  const queryAt = rest.indexOf('?');
  const path = queryAt < 0 ? rest : rest.slice(0, queryAt);
  const query = queryAt < 0 ? '' : rest.slice(queryAt);
  const elements = path.split('/').filter((element) => element !== '');
  const last = keyIsGiven ? undefined : elements.pop();
  return { app: elements.join('/') || 'live', keyInPath: last === undefined ? '' : last + query };
}

function keysFor(given: readonly string[], connections: number): string[] {
  if (given.some((key) => key === '')) throw new CliError('no stream key: use --key KEY, or append the key to the URL');
  const [first = ''] = given;
  const keys =
    given.length === 1 && first.includes('{n}')
      ? Array.from({ length: connections }, (_none, at) => first.replaceAll('{n}', String(at + 1)))
      : [...given];
  if (keys.length < connections) {
    throw new CliError(`${connections} connections need ${connections} keys: repeat --key, or use one key with {n}`);
  }
  return keys.slice(0, connections);
}
