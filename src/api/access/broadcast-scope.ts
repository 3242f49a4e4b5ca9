/** The scope `read_broadcast:<id>`: tokens in links to the dock page, valid only for the live feed of one broadcast. */

const SCOPE = /^read_broadcast:(\d{1,20})$/;

export function broadcastScope(liveVideoId: string): string {
  return `read_broadcast:${liveVideoId}`;
}

/** The broadcast id in such a scope. */
export function broadcastOfScope(scope: string): string | undefined {
  return SCOPE.exec(scope)?.[1];
}

/** Ids of the broadcasts that a token is limited to; `undefined` for a token without such a scope. */
export function broadcastsOfScopes(scopes: Iterable<string>): readonly string[] | undefined {
  const ids = [...scopes].flatMap((scope) => broadcastOfScope(scope) ?? []);
  return ids.length === 0 ? undefined : ids;
}
