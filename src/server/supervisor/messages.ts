/** Messages between the supervisor and the role processes, over the IPC channel of the child process. */

import type { ListenerName, PublicPorts } from '../../config/listeners.js';
import type { SentSettings } from '../../config/sent-settings.js';
import type { ProcessUsage } from '../system/process-usage.js';

export type Role = 'store' | 'ingest' | 'web' | 'media' | 'forward';

/** `media` starts with the server and ends when it has had nothing to do; `forward` runs while there is a broadcast to forward. */
export type OnDemand = 'media' | 'forward';

/** A running process of a role, as other processes know it. */
export interface Peer {
  /** Never reused by a later process. */
  readonly id: number;
  readonly role: Role;
  /** The ID with which the process holds leases; absent for the store. */
  readonly holder?: string | undefined;
}

/**
 * Version of the messages below, and of the calls between the roles. Increment on incompatible changes: a supervisor refuses a role
 * of another version.
 */
export const PROTOCOL = 2;

/** Orders of an operator to the supervisor. */
export type Order = 'state' | 'drain' | 'reload';

/** Steps that take a while, for the commands that wait for them. */
export interface ServerState {
  /** `done`: no publisher is left. */
  readonly drain: 'no' | 'running' | 'done';
  readonly drainS: number;
  readonly reload: {
    readonly state: 'no' | 'running' | 'done' | 'failed';
    /** Roles whose processes were replaced. */
    readonly replaced: readonly Role[];
    readonly reason?: string;
  };
}

/** Why publishers are asked to leave a process. */
export type DrainReason = 'out-of-service' | 'replaced';

/** Why a process did not start, with the data that the error message needs. */
export interface StartFailure {
  readonly message: string;
  readonly code?: string;
  readonly port?: number;
  readonly address?: string;
}

export type ToRole =
  | {
      readonly type: 'start';
      readonly protocol: number;
      readonly ports: PublicPorts;
      readonly settings: SentSettings;
    }
  /** Comes with the accepted socket. The process answers `taken` with the number. */
  | { readonly type: 'connection'; readonly port: ListenerName; readonly number: number }
  | {
      readonly type: 'ping';
      /** Usage of the supervisor, for the metrics: to the web process. */
      readonly supervisor?: ProcessUsage;
    }
  /** All running processes except the receiver, and how often each role was restarted; sent at each change. */
  | {
      readonly type: 'peers';
      readonly peers: readonly Peer[];
      readonly restarts: Readonly<Partial<Record<Role, number>>>;
      /** The server takes no new publisher. Absent in messages of an older supervisor. */
      readonly isDraining?: boolean;
      /** Roles without a process, since nothing needs one. Absent in messages of an older supervisor. */
      readonly idle?: readonly Role[];
    }
  | { readonly type: 'message'; readonly from: number; readonly subject: string; readonly body: object }
  /** To ingest processes. The process answers `drained` when its last connection is closed. */
  | { readonly type: 'drain'; readonly reason: DrainReason }
  /** Answers an order. */
  | { readonly type: 'state'; readonly number: number; readonly state: ServerState }
  | { readonly type: 'stop' };

export type FromRole =
  /** The code of the process is loaded. */
  | { readonly type: 'loaded' }
  /** The process accepts connections and serves requests. */
  | { readonly type: 'ready'; readonly holder?: string | undefined }
  | { readonly type: 'failed'; readonly failure: StartFailure }
  | { readonly type: 'pong' }
  | { readonly type: 'taken'; readonly number: number }
  | { readonly type: 'drained' }
  /** A process of the role is needed, or this one no longer. */
  | { readonly type: 'demand'; readonly role: OnDemand; readonly isNeeded: boolean }
  | { readonly type: 'order'; readonly number: number; readonly order: Order }
  | { readonly type: 'message'; readonly to: number | Role; readonly subject: string; readonly body: object };

/** Environment variable with the role of a process. */
export const ROLE_VARIABLE = 'AIRLOCK_ROLE';

const ROLES: readonly Role[] = ['store', 'ingest', 'web', 'media', 'forward'];

/** The role of this process; undefined for one that the supervisor did not start. */
export function ownRole(): Role | undefined {
  return process.connected ? ROLES.find((role) => role === process.env[ROLE_VARIABLE]) : undefined;
}
