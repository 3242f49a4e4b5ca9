/** Limits of the supervisor, each with its reason. Here: accepted connections that no process has taken over yet. */
export const WAITING_LIMITS = {
  /** Long enough for a role to start on a busy machine (5 s at a load of ten for each processor); an encoder waits as long. */
  waitMs: 10_000,
  /** Connections that the kernel has accepted and this process has not: those that arrive within one slow turn of its loop. */
  backlog: 1_024,
  /**
   * Waiting connections of a port. Browsers and API clients repeat a request by themselves; the RTMP ports hold as many as
   * may be connected (`AIRLOCK_MAX_CONNECTIONS`), since after a restart all encoders return at the same time.
   */
  waiting: 512,
  /**
   * Waiting connections of one address (IPv6: of one /64), so that it cannot use up the bound above. On the RTMP ports,
   * loopback and trusted proxies are exempt: behind a balancer all encoders share one address.
   */
  waitingPerAddress: 256,
  /** Connections handed to one process that it has not taken yet, beyond which new ones wait here: more only grow the queue of its channel. */
  handedOver: 256,
} as const;

/** The probe port. Each connection is answered once. */
export const PROBE_LIMITS = {
  /** Connections without a complete request: probers send theirs at once, and each has one or two. */
  waiting: 64,
  /** A prober sends its request with the handshake or one packet later. */
  requestMs: 2_000,
  /** Headers of a probe without cookies, with a token. */
  headerBytes: 8 * 1024,
  /** Requests on their way to the web process: it answers in milliseconds, and while it hangs `/healthz` needs none. */
  relayed: 64,
  /** The web process answers within it: probes of orchestrators wait a second or a few. */
  answerMs: 2_000,
  /** For a balancer, whose checks wait for half a second: they are to fail within 1.5 s. */
  balancerMs: 400,
  /** From the request to the last byte of the answer: Prometheus gives up as late. */
  wholeMs: 10_000,
} as const;
