/** One signed delivery over HTTP. */
import { createHmac } from 'node:crypto';
import type { WebhookEvent } from './events.js';

export interface WebhookTarget {
  readonly url: string;
  readonly secret: string | Uint8Array;
  readonly answerWithinMs: number;
}

/** Resolves to `undefined` when the receiver accepted it, else to the reason for the failure. Never rejects. */
export async function postEvent(
  { url, secret, answerWithinMs }: WebhookTarget,
  event: WebhookEvent,
  body: string,
  closing: AbortSignal,
): Promise<string | undefined> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${signature}`,
        'x-airlock-delivery': event.deliveryId,
      },
      signal: AbortSignal.any([closing, AbortSignal.timeout(answerWithinMs)]),
    });
    await response.body?.cancel();
    return response.ok ? undefined : `HTTP ${response.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
