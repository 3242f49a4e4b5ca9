/**
 * Refused sign-ins and limits that were reached, as lines of the audit log. Anyone can cause them without a token, so the
 * lines are bounded: one per kind, client and minute, and a number per minute and day. The rest is in the log of requests.
 */
import { addressGroup } from '../../lib/address-group.js';
import type { Log, RefusalLine, RefusalLog } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import type { Viewer } from '../context/viewer.js';
import { type AuditDeps, audit } from './audit.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
export const REFUSAL_LIMITS = {
  /** Enough to see an attack from a network of addresses, at most one write a second. */
  linesPerMinute: 60,
  /** About 1 MB a day and process; a year of attacks stays below half a gigabyte. */
  linesPerDay: 5_000,
} as const;

/** Beginning of the lines of `file_url` that is refused for its address. */
const FILE_URL = 'file_url refused:';

const SIGN_IN = 190;
/** Codes of limits: calls of an address, a token and a Page; objects and bytes of an owner. */
const LIMITS: Readonly<Record<number, string>> = {
  4: 'limit reached: calls of an address',
  17: 'limit reached: calls of a token',
  32: 'limit reached: calls of a Page token',
  341: 'limit reached: quota of an owner',
};

/** Who made the call, as far as it is known. */
export interface Caller {
  readonly address: string | undefined;
  readonly viewer: Viewer | undefined;
}

/** One for each process, so that its bounds hold for all of its services. */
export class Refusals implements RefusalLog {
  readonly #deps: AuditDeps & { readonly log: Log };
  readonly #seen = new Set<string>();
  #minute = 0;
  #day = 0;
  #today = 0;

  constructor(deps: AuditDeps & { readonly log: Log }) {
    this.#deps = deps;
  }

  /** Returns at once; errors of other kinds leave no line. */
  note(error: unknown, { address, viewer }: Caller): void {
    const action = error instanceof ServiceError ? actionOf(error) : undefined;
    if (action === undefined) return;
    const line = { action, from: address, who: viewer?.tokenId, owner: viewer?.ownerId };
    const isNew = this.add(line, viewer?.tokenId);
    // The client is not told, so that the log is where its operator looks.
    if (isNew && action.startsWith(FILE_URL)) this.#deps.log.warn(line, action);
  }

  /** A request outside the graph, such as a page or a socket, that reached the limit of its address or token. */
  limited(address: string): void {
    this.add({ action: 'limit reached: requests of an address', from: address });
  }

  /** False for a line that is left out. */
  add({ who = 'unknown', ...line }: RefusalLine, client = addressGroup(line.from ?? '')): boolean {
    const { action } = line;
    if (!this.#isNew(`${action} ${client}`)) return false;
    const { log } = this.#deps;
    audit(this.#deps, { ...line, who }).catch((error: unknown) => {
      log.warn({ err: error, action }, 'a refusal is missing in the audit log');
    });
    return true;
  }

  #isNew(key: string): boolean {
    const nowMs = this.#deps.clock.wallMs();
    const [minute, day] = [Math.floor(nowMs / MINUTE_MS), Math.floor(nowMs / DAY_MS)];
    if (minute !== this.#minute) this.#seen.clear();
    if (day !== this.#day) this.#today = 0;
    this.#minute = minute;
    this.#day = day;
    const isFull = this.#seen.size >= REFUSAL_LIMITS.linesPerMinute || this.#today >= REFUSAL_LIMITS.linesPerDay;
    if (isFull || this.#seen.has(key)) return false;
    this.#seen.add(key);
    this.#today += 1;
    return true;
  }
}

function actionOf({ shape: { audit: action, code, subcode } }: ServiceError): string | undefined {
  if (action !== undefined) return action;
  if (code !== SIGN_IN) return LIMITS[code];
  return subcode === 463 ? 'sign-in refused: token expired' : 'sign-in refused: token unknown or revoked';
}
