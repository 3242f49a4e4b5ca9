/** What the HTTP interface is given by the composition root: its settings and the services it stands on. */
import type { RequestListener } from 'node:http';
import type {
  Blobs,
  Broadcasts,
  Clock,
  FileLinks,
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
   * Without it, requests of this machine itself are not counted. Set where the server is meant for others: then those of a
   * proxy that nobody declared may come from loopback. What a proxy says that it forwards is counted in any case.
   */
  readonly countLoopback?: boolean;
  /** An ioredis client; absent: each process counts for itself. */
  readonly redis?: object;
}

export interface ApiConfig {
  /** Used where a request names no host of its own. No slash at the end. */
  readonly publicHttpUrl: string;
  /** Shown as the application of tokens; with `appSecret`, `<appId>|<appSecret>` is the app token. */
  readonly appId?: string;
  /** When set, a token from outside must come with a matching `appsecret_proof`. */
  readonly appSecret?: string;
  readonly requireAppSecretProof?: boolean;
  /** What express calls `trust proxy`: addresses whose X-Forwarded-* headers count. */
  readonly trustProxy?: boolean | readonly string[];
  /** The same, asked of one address. */
  readonly isProxy?: (address: string) => boolean;
  readonly rateLimits?: Partial<RateLimitConfig>;
  /** A broadcast may not go LIVE with open errors. */
  readonly enforce?: 'report' | 'strict';
}

export interface Readiness {
  readonly ready: boolean;
  /** Component → `ok`, or what is wrong with it. */
  readonly checks: Readonly<Record<string, string>>;
}

export interface ApiDeps {
  readonly store: Store;
  readonly broadcasts: Broadcasts;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly quota: OwnerQuota;
  readonly log: Log;
  readonly config: ApiConfig;
  readonly readiness: () => Promise<Readiness>;
  /**
   * Resolves when error records of the broadcast that were told to its encoder are in the store too, or after a bounded
   * time. `undefined`: none is on its way.
   */
  readonly recordsStored?: (broadcastId: string) => Promise<unknown> | undefined;
  /** Without them captions, images and uploads are refused with VIDEO__CREATE_FAILED. */
  readonly blobs?: Blobs;
  readonly links?: FileLinks;
  readonly uploads?: Uploads;
  /** Paths of a running broadcast for players, with a ticket in them. */
  readonly playbackLinks?: (liveVideoId: string) => { readonly flv: string; readonly hls: string };
  /** Handlers that answer below a path of their own, before the graph sees the request: metrics, dashboard, files. */
  readonly mounts?: readonly {
    readonly path: string;
    readonly handler: RequestListener;
    /** What its requests are counted as; `page` when absent. */
    readonly counts?: 'call' | 'page';
  }[];
}
