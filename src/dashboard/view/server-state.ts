/** State of the server itself, which the overview shows beside its broadcasts. */
export interface RoleState {
  readonly role: string;
  /** It has no process, since nothing needs one. */
  readonly is_idle: boolean;
  readonly resident_bytes: number;
  /** Since the start of its processes. */
  readonly cpu_seconds: number;
  /** The 99th percentile of the delay of the event loop, the highest of the last minute. */
  readonly loop_delay_ms: number;
  readonly restarts: number;
}

export interface ServerState {
  readonly roles: readonly RoleState[];
  readonly connections: number;
  readonly publishers: number;
  /** Bytes of RTMP since the start. */
  readonly received_bytes: number;
  readonly viewers: number;
  readonly feed_readers: number;
  /** Changes of error records that are not in the store yet. */
  readonly journal_pending: number;
  readonly recordings_paused: number;
  /** Waiting and running media jobs, by kind. */
  readonly jobs?: Readonly<Record<string, number>>;
  readonly disk?: { readonly free_bytes: number; readonly reserve_bytes: number };
  readonly certificate_expires?: string;
}
