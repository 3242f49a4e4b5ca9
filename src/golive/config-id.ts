/**
 * Ids of answers. OBS appends the id of its answer to the publish name as `clientConfigId`, which ties a stream to the
 * settings that it was given.
 */

/** OBS builds a query of it without escaping. */
const CONFIG_ID = /^airlock-[A-Za-z0-9_-]{1,40}$/;

const CONFIG_ID_PARAM = 'clientConfigId';

export const configId = (unique: string): string => `airlock-${unique}`;

/** The id in a publish name, if it has the form of one. */
export function configIdOf(params: ReadonlyMap<string, string>): string | undefined {
  const id = params.get(CONFIG_ID_PARAM);
  return id !== undefined && CONFIG_ID.test(id) ? id : undefined;
}
