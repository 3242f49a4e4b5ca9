/** Settings and dependencies of the HTTP interface, supplied by the composition root. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type {
  Blobs,
  Broadcasts,
  CheckPublish,
  Clock,
  FileLinks,
  ForwardSettings,
  IdSource,
  Log,
  OwnerQuota,
  Store,
  Uploads,
} from '../../ports/index.js';

export interface RateLimitConfig {
  readonly perTokenPerMinute: number;
  readonly perAddressPerMinute: number;
  /**
   * Counts requests from loopback too; otherwise they are exempt. Set when the server is public, since an undeclared
   * proxy may connect from loopback. Requests with a forwarding header are always counted.
   */
  readonly countLoopback?: boolean;
  /** An ioredis client; absent: each process keeps its own counts. */
  readonly redis?: object;
}

export interface ApiConfig {
  /** Used when a request has no usable Host header. No trailing slash. */
  readonly publicHttpUrl: string;
  /** Reported as the application of tokens; with `appSecret`, `<appId>|<appSecret>` is the app token. */
  readonly appId?: string;
  /** When set, an `appsecret_proof` in a request must match. */
  readonly appSecret?: string;
  readonly requireAppSecretProof?: boolean;
  /** Peers whose X-Forwarded-* headers are trusted; absent: none. */
  readonly isProxy?: (address: string) => boolean;
  readonly rateLimits?: Partial<RateLimitConfig>;
  /** `strict`: a broadcast with open errors cannot go LIVE. */
  readonly enforce?: 'report' | 'strict';
  /** How long OBS waits for its settings; a test on a busy machine waits longer. */
  readonly goLiveAnswerMs?: number;
}

export interface Readiness {
  readonly ready: boolean;
  /** Component → `ok`, or a description of the fault. */
  readonly checks: Readonly<Record<string, string>>;
}

export interface ObservedValues {
  readonly columns: readonly string[];
  readonly points: readonly (readonly (number | null)[])[];
}

export interface ApiDeps {
  readonly store: Store;
  readonly broadcasts: Broadcasts;
  readonly checkPublish: CheckPublish;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly quota: OwnerQuota;
  readonly log: Log;
  readonly config: ApiConfig;
  /** Readiness of all parts of the server. */
  readonly readiness: () => Promise<Readiness>;
  /**
   * Resolves when the error records already reported to the encoder of the broadcast are in the store, or after a
   * bounded time. `undefined`: no writes are pending.
   */
  readonly recordsStored?: (broadcastId: string) => Promise<unknown> | undefined;
  /** Observed values of a broadcast over time: the name of each column, and rows in order of time. */
  readonly observedValues?: (liveVideoId: string) => Promise<ObservedValues>;
  /** Absent: captions, images and uploads are refused with VIDEO__CREATE_FAILED. */
  readonly blobs?: Blobs;
  readonly links?: FileLinks;
  readonly uploads?: Uploads;
  /** Absent: forwards are switched off. */
  readonly forwards?: ForwardSettings;
  /** Playback paths of a running broadcast, each with a ticket, which ends with the token. */
  readonly playbackLinks?: (liveVideoId: string, tokenId?: string) => { readonly flv: string; readonly hls: string };
  /** Handlers mounted at their own paths, ahead of the graph: metrics, dashboard, files. */
  readonly mounts?: readonly {
    readonly path: string;
    /** `again`: serves the request anew, when the handler has given it another path. */
    readonly handler: (request: IncomingMessage, response: ServerResponse, again: RequestListener) => void;
    /** Rate limit that its requests count against; `page` when absent. */
    readonly counts?: 'call' | 'page';
  }[];
}
