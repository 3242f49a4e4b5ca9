/**
 * Keeps the certificate of the domains current: orders one when there is none, when the domains change and when a third of
 * its life is left. The account, the key and the certificate are in the store, so that servers that share it have the same;
 * a lease lets one of them order. A failure is followed by a pause that doubles, and the certificate in use stays.
 */
import { defined } from '../lib/objects.js';
import { type Clock, DERIVED_ID, LEASE, type Log, type Store, type StoredObject, VOLATILE } from '../ports/index.js';
import { AcmeError } from './fault.js';
import { ACME_LIMITS } from './limits.js';
import { createAccountKey, type Issued, type OrderOptions, orderCertificate } from './order.js';
import { seal, unseal } from './vault.js';

/** Without secrets: for `doctor`. */
export interface AcmeStatus {
  readonly directory: string;
  readonly domains: readonly string[];
  /** Of the certificate in use. */
  readonly expiresMs?: number;
  readonly failures: number;
  readonly nextAttemptMs?: number;
  readonly problem?: string;
  readonly detail?: string;
}

interface Secrets {
  readonly accountKey: string;
  readonly accountUrl?: string;
  readonly certificate?: string;
  readonly key?: string;
}

interface AcmeData extends AcmeStatus {
  /** Of the certificate, in milliseconds since 1970. */
  readonly renewMs?: number;
  readonly sealed: string;
}

export interface RenewerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** The current one first. */
  readonly serverKeys: readonly Uint8Array[];
  readonly holder: string;
  readonly directory: string;
  readonly domains: readonly string[];
  readonly email?: string | undefined;
  /** Start and end of validity of a PEM chain. */
  readonly validity: (certificate: string) => { readonly fromMs: number; readonly untilMs: number };
  /** Puts the pair into use, unless it is in use. */
  readonly use: (pair: { readonly certificate: string; readonly key: string }) => void;
  readonly onStatus: (status: AcmeStatus) => void;
  readonly order?: (options: OrderOptions) => Promise<Issued>;
}

export class AcmeRenewer {
  readonly #options: RenewerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RenewerOptions) {
    this.#options = options;
  }

  start(): void {
    void this.check();
    this.#timer = setInterval(() => void this.check(), ACME_LIMITS.checkMs);
    this.#timer.unref();
  }

  /** Does not wait for an order that runs: its lease expires. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** Takes over what another server ordered, or orders. Never rejects. */
  check(): Promise<void> {
    this.#running ??= this.#check()
      .catch((error: unknown) => this.#options.log.warn({ error }, 'the certificate could not be checked'))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  async #check(): Promise<void> {
    const found = await this.#load();
    this.#takeOver(found?.data);
    if (!this.#isDue(found?.data)) return;
    const { leases } = this.#options.store;
    const lease = await leases.acquire(LEASE.acme, this.#options.holder, ACME_LIMITS.leaseMs);
    if (lease === undefined) return;
    try {
      // Another server may have ordered just before.
      const current = await this.#load();
      this.#takeOver(current?.data);
      if (this.#isDue(current?.data) && !this.#isClosed) await this.#order(current);
    } finally {
      await leases.release(lease);
    }
  }

  #load(): Promise<StoredObject<AcmeData> | undefined> {
    return this.#options.store.objects.get<AcmeData>(DERIVED_ID.acme);
  }

  #isDue(data: AcmeData | undefined): boolean {
    const { clock, directory, domains } = this.#options;
    const nowMs = clock.wallMs();
    if (data === undefined || data.directory !== directory || !sameNames(data.domains, domains)) return true;
    if (data.renewMs !== undefined && nowMs < data.renewMs && this.#secrets(data)?.key !== undefined) return false;
    return nowMs >= (data.nextAttemptMs ?? 0);
  }

  #secrets(data: AcmeData | undefined): Secrets | undefined {
    return data === undefined ? undefined : (unseal(this.#options.serverKeys, data.sealed) as Secrets | undefined);
  }

  #takeOver(data: AcmeData | undefined): void {
    if (data === undefined) return;
    const { certificate, key } = this.#secrets(data) ?? {};
    if (certificate !== undefined && key !== undefined) this.#options.use({ certificate, key });
    this.#options.onStatus(statusOf(data));
  }

  async #order(found: StoredObject<AcmeData> | undefined): Promise<void> {
    const { directory, domains, email, log, clock, store, validity, order = orderCertificate } = this.#options;
    const kept = this.#secrets(found?.data);
    // An account belongs to its authority.
    const isSame = kept !== undefined && found?.data.directory === directory;
    const account = isSame ? kept : { ...kept, accountKey: await createAccountKey(), accountUrl: undefined };
    const { accountKey, accountUrl } = account;
    log.info({ domains, directory }, 'ordering a certificate');
    try {
      const publish = (token: string, text: string) =>
        store.volatile.set(VOLATILE.acmeChallenge(token), text, ACME_LIMITS.challengeMs);
      const issued = await order({ directory, domains, email, accountKey, accountUrl, publish });
      const { fromMs, untilMs } = validity(issued.certificate);
      await this.#save(
        found,
        { accountKey, ...issued },
        {
          failures: 0,
          expiresMs: untilMs,
          renewMs: untilMs - (untilMs - fromMs) / 3,
        },
      );
      log.info({ domains, until: new Date(untilMs).toISOString() }, 'a certificate was issued');
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error;
      const failures = failuresBefore(found?.data, this.#options) + 1;
      const nextAttemptMs = clock.wallMs() + pauseAfter(failures, error.retryAfterMs);
      const { problem, message: detail } = error;
      log.warn({ domains, problem, detail, nextAttemptMs }, 'no certificate was issued; the one in use stays');
      const { expiresMs, renewMs } = found?.data ?? {};
      const before = defined({ expiresMs, renewMs });
      const secrets = { ...kept, accountKey, ...defined({ accountUrl }) };
      await this.#save(found, secrets, { ...before, failures, nextAttemptMs, problem, detail });
    }
  }

  async #save(
    found: StoredObject<AcmeData> | undefined,
    secrets: Secrets,
    facts: Omit<AcmeData, 'sealed' | 'directory' | 'domains'>,
  ): Promise<void> {
    const { store, clock, directory, domains, serverKeys } = this.#options;
    const [serverKey] = serverKeys;
    if (serverKey === undefined) throw new Error('the renewer has no server key');
    const nowMs = clock.wallMs();
    const data: AcmeData = { ...facts, directory, domains, sealed: seal(serverKey, secrets) };
    const times = { createdMs: found?.createdMs ?? nowMs, updatedMs: nowMs };
    const object = { id: DERIVED_ID.acme, kind: 'setting', ...times, data } as const;
    await store.objects.commit([{ op: 'put', object, expect: found?.version ?? 0 }]);
    this.#takeOver(data);
  }
}

/** Failures of other domains or of another authority do not count. */
function failuresBefore(data: AcmeData | undefined, { directory, domains }: RenewerOptions): number {
  return data?.directory === directory && sameNames(data.domains, domains) ? data.failures : 0;
}

export function pauseAfter(failures: number, retryAfterMs: number): number {
  const doubled = ACME_LIMITS.firstRetryMs * 2 ** (failures - 1);
  return Math.max(Math.min(doubled, ACME_LIMITS.longestRetryMs), retryAfterMs);
}

function statusOf({ sealed: _sealed, renewMs: _renewMs, ...status }: AcmeData): AcmeStatus {
  return status;
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return [...one].sort().join() === [...other].sort().join();
}
