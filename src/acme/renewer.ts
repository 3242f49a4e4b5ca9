/**
 * Keeps the certificate of the domains current: orders one when there is none, when the domains change and when a third of
 * its life is left. The account, the key and the certificate are in the store, so that servers that share it have the same;
 * a lease lets one of them order. A failure is followed by a pause that doubles, and the certificate in use stays.
 */
import { defined } from '../lib/objects.js';
import { seal, unseal } from '../lib/vault.js';
import { type Clock, DERIVED_ID, LEASE, type Log, type Store, type StoredObject, VOLATILE } from '../ports/index.js';
import { ACME_LIMITS } from './limits.js';
import { AcmeError, createAccountKey, type Issued, type OrderOptions, orderCertificate } from './order.js';

/**
 * Attempts for a set of names at an authority. They are kept in the store, so that neither failures, nor crashes during an
 * order, nor servers with other settings on the same store order more often than authorities allow. Times are wall times in
 * milliseconds.
 */
interface Tried {
  readonly set: string;
  /** In a row. An order that is under way counts as one, in case that it is cut off. */
  readonly failures: number;
  readonly nextMs: number;
}

const setOf = (directory: string, domains: readonly string[]): string => [directory, ...[...domains].sort()].join(' ');

function triedOf(history: readonly Tried[] | undefined, set: string): Tried | undefined {
  return history?.find((each) => each.set === set);
}

/** The newest first, and bounded. */
function noted(history: readonly Tried[] | undefined, tried: Tried): readonly Tried[] {
  return [tried, ...(history ?? []).filter(({ set }) => set !== tried.set)].slice(0, ACME_LIMITS.setsKept);
}

function pauseAfter(failures: number, retryAfterMs: number): number {
  const doubled = ACME_LIMITS.firstRetryMs * 2 ** (failures - 1);
  return Math.max(Math.min(doubled, ACME_LIMITS.longestRetryMs), retryAfterMs);
}

/** A certificate that is due as soon as it comes, because a clock is wrong for example, is not ordered again at once. */
function pauseAfterIssue(lifeMs: number): number {
  return Math.min(ACME_LIMITS.reissueMs, lifeMs / 2);
}

/** Without secrets: for `doctor`. */
export interface AcmeStatus {
  readonly directory: string;
  readonly domains: readonly string[];
  /** Expiry of the certificate in use. */
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
  /** Expiry of the certificate, in milliseconds since 1970. */
  readonly renewMs?: number;
  /** The set of names of the certificate; absent from version 0.1. */
  readonly issuedFor?: string;
  readonly history?: readonly Tried[];
  readonly sealed: string;
}

export interface AcmePair {
  readonly certificate: string;
  readonly key: string;
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
  /** Shows the status, and puts the pair into use, unless it is in use. */
  readonly takeOver: (status: AcmeStatus, pair: AcmePair | undefined) => void;
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
    if (data === undefined) return true;
    const nowMs = this.#options.clock.wallMs();
    const isIssued = this.#set === (data.issuedFor ?? (data.failures === 0 ? setOf(data.directory, data.domains) : ''));
    const isUsable = isIssued && this.#secrets(data)?.key !== undefined;
    if (isUsable && data.renewMs !== undefined && nowMs < data.renewMs) return false;
    const tried = this.#tried(data);
    // It cannot be unsealed any more.
    if (isIssued && !isUsable && tried?.failures === 0) return true;
    return nowMs >= (tried?.nextMs ?? 0);
  }

  get #set(): string {
    return setOf(this.#options.directory, this.#options.domains);
  }

  #tried(data: AcmeData | undefined): Tried | undefined {
    if (data === undefined || data.history !== undefined) return triedOf(data?.history, this.#set);
    const { directory, domains, failures, nextAttemptMs: nextMs = 0 } = data;
    return triedOf([{ set: setOf(directory, domains), failures, nextMs }], this.#set);
  }

  #secrets(data: AcmeData | undefined): Secrets | undefined {
    return data === undefined
      ? undefined
      : (unseal(this.#options.serverKeys, 'acme', data.sealed) as Secrets | undefined);
  }

  #takeOver(data: AcmeData | undefined): void {
    if (data === undefined) return;
    const { certificate, key } = this.#secrets(data) ?? {};
    const pair = certificate === undefined || key === undefined ? undefined : { certificate, key };
    this.#options.takeOver(statusOf(data), pair);
  }

  async #order(found: StoredObject<AcmeData> | undefined): Promise<void> {
    const { directory, domains, email, log, clock, store, validity, order = orderCertificate } = this.#options;
    const kept = this.#secrets(found?.data);
    // An account belongs to its authority.
    const isSame = kept !== undefined && found?.data.directory === directory;
    const account = isSame ? kept : { ...kept, accountKey: await createAccountKey(), accountUrl: undefined };
    const { accountKey, accountUrl } = account;
    const secrets = { ...kept, accountKey, ...defined({ accountUrl }) };
    const failures = (this.#tried(found?.data)?.failures ?? 0) + 1;
    // Before the order, which counts at the authority even if this process ends or the store fails before its end.
    const begun = await this.#save(found, secrets, this.#failed(found?.data, failures, 0));
    log.info({ domains, directory }, 'ordering a certificate');
    try {
      const publish = (token: string, text: string) =>
        store.volatile.set(VOLATILE.acmeChallenge(token), text, ACME_LIMITS.challengeMs);
      const issued = await order({ directory, domains, email, accountKey, accountUrl, publish });
      const { fromMs, untilMs } = validity(issued.certificate);
      const set = this.#set;
      const nextMs = clock.wallMs() + pauseAfterIssue(untilMs - fromMs);
      await this.#save(
        begun,
        { accountKey, ...issued },
        {
          failures: 0,
          expiresMs: untilMs,
          renewMs: untilMs - (untilMs - fromMs) / 3,
          issuedFor: set,
          history: noted(found?.data.history, { set, failures: 0, nextMs }),
        },
      );
      log.info({ domains, until: new Date(untilMs).toISOString() }, 'a certificate was issued');
    } catch (error) {
      if (!(error instanceof AcmeError)) throw error;
      const { problem, message: detail, retryAfterMs } = error;
      const facts = { ...this.#failed(found?.data, failures, retryAfterMs), problem, detail };
      log.warn(
        { domains, problem, detail, nextAttemptMs: facts.nextAttemptMs },
        'no certificate was issued; the one in use stays',
      );
      await this.#save(begun, secrets, facts);
    }
  }

  /** The facts of the certificate in use stay. */
  #failed(data: AcmeData | undefined, failures: number, retryAfterMs: number): Facts {
    const nextAttemptMs = this.#options.clock.wallMs() + pauseAfter(failures, retryAfterMs);
    const { expiresMs, renewMs, issuedFor, history } = data ?? {};
    const tried = { set: this.#set, failures, nextMs: nextAttemptMs };
    return { ...defined({ expiresMs, renewMs, issuedFor }), failures, nextAttemptMs, history: noted(history, tried) };
  }

  async #save(
    found: StoredObject<AcmeData> | undefined,
    secrets: Secrets,
    facts: Facts,
  ): Promise<StoredObject<AcmeData> | undefined> {
    const { store, clock, directory, domains, serverKeys } = this.#options;
    const [serverKey] = serverKeys;
    if (serverKey === undefined) throw new Error('the renewer has no server key');
    const nowMs = clock.wallMs();
    const data: AcmeData = { ...facts, directory, domains, sealed: seal(serverKey, 'acme', secrets) };
    const times = { createdMs: found?.createdMs ?? nowMs, updatedMs: nowMs };
    const object = { id: DERIVED_ID.acme, kind: 'setting', ...times, data } as const;
    await store.objects.commit([{ op: 'put', object, expect: found?.version ?? 0 }]);
    this.#takeOver(data);
    return this.#load();
  }
}

type Facts = Omit<AcmeData, 'sealed' | 'directory' | 'domains'>;

function statusOf({ sealed: _, renewMs: __, issuedFor: ___, history: ____, ...status }: AcmeData): AcmeStatus {
  return status;
}
