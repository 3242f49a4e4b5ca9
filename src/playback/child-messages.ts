/** What the supervisor and its child say to each other over their channel. */

export type ToChild =
  /** First, once. The secret signs both publishing and playing; it is in no argument and no environment. */
  { readonly type: 'start'; readonly secret: string } | { readonly type: 'ping' };

export type FromChild =
  /** Ports on 127.0.0.1. */
  | { readonly type: 'ready'; readonly httpPort: number; readonly rtmpPort: number }
  | { readonly type: 'pong' }
  /** An error that it logged, or that ends it. */
  | { readonly type: 'error'; readonly message: string };

export const STREAM_APP = 'live';
