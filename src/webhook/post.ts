/** One signed delivery over HTTP. */
import { createHmac } from 'node:crypto';
import { callHttp } from '../lib/http-call.js';
import type { WebhookEvent } from './events.js';

export interface WebhookTarget {
  readonly url: string;
  readonly secret: string | Uint8Array;
  readonly previousSecret?: string | undefined;
  readonly answerWithinMs: number;
}

/** Resolves to `undefined` when the receiver accepted it, else to the reason for the failure. Never rejects. */
export async function postEvent(
  { url, secret, previousSecret, answerWithinMs }: WebhookTarget,
  event: WebhookEvent,
  body: string,
  closing: AbortSignal,
): Promise<string | undefined> {
  const signed = (key: string | Uint8Array) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  try {
    const answer = await callHttp(new URL(url), {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        // A receiver that has not changed its secret yet sees no difference during a rotation.
        'x-hub-signature-256': signed(previousSecret ?? secret),
        ...(previousSecret === undefined ? {} : { 'x-airlock-signature-256-next': signed(secret) }),
        'x-airlock-delivery': event.deliveryId,
      },
      headersMs: answerWithinMs,
      stallMs: answerWithinMs,
      signal: closing,
    });
    answer.close();
    return answer.status >= 200 && answer.status < 300 ? undefined : `HTTP ${answer.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
