/** Tokens that open the live feed of one broadcast and nothing else: what a link to the dock page holds. */

const SCOPE = /^read_broadcast:(\d{1,20})$/;

export function broadcastScope(liveVideoId: string): string {
  return `read_broadcast:${liveVideoId}`;
}

/** The broadcast that such a scope opens. */
export function broadcastOfScope(scope: string): string | undefined {
  return SCOPE.exec(scope)?.[1];
}

/** The broadcasts that a token is limited to; `undefined` for a token without such a scope. */
export function broadcastsOfScopes(scopes: Iterable<string>): readonly string[] | undefined {
  const ids = [...scopes].flatMap((scope) => broadcastOfScope(scope) ?? []);
  return ids.length === 0 ? undefined : ids;
}
