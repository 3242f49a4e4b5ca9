/** Lets Radix add its one style, which keeps the page behind a dialog from scrolling, under the content policy. */
import { setNonce } from 'get-nonce';

export function takeNonceOfPage(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
  if (nonce) setNonce(nonce);
}
