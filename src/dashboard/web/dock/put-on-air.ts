/** The one call of the interface that a dock link may make. */

/** The switch follows with its next key frame. @throws Error with a sentence for the page */
export async function putOnAir(inputStreamId: string, token: string): Promise<void> {
  const answer = await fetch(`/${inputStreamId}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    body: new URLSearchParams({ on_air: 'true' }),
    cache: 'no-store',
  }).catch(() => undefined);
  if (answer === undefined) throw new Error('The server cannot be reached. Check your connection.');
  if (answer.ok) return;
  const body: unknown = await answer.json().catch(() => undefined);
  const message = (body as { error?: { message?: unknown } } | undefined)?.error?.message;
  throw new Error(typeof message === 'string' ? message.replace(/^\(#-?\d+\)\s*/, '') : `Status ${answer.status}.`);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
