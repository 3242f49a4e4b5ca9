/** Checks for obstacles between this machine and a certificate of an ACME authority. */
import { lookup } from 'node:dns/promises';
import { readAcmeStatus } from '../../config/certificates/acme-files.js';
import type { Config } from '../../config/settings/schema.js';
import { type CheckResult, ok, warn } from './machine-checks.js';

const WHAT = 'ACME';

/** Remedies by the type of the authority's problem (RFC 8555 6.7). */
const ADVICE: ReadonlyMap<string, string> = new Map([
  [
    'connection',
    'The authority cannot reach port 80 of the name: forward it to AIRLOCK_ACME_PORT and open the firewall.',
  ],
  ['dns', 'The name does not resolve at the authority: correct its A and AAAA records.'],
  [
    'unauthorized',
    'Another server answers on port 80 of the name: forward /.well-known/acme-challenge/ to AIRLOCK_ACME_PORT, and remove AAAA records of other machines.',
  ],
  [
    'caa',
    'A CAA record of the name excludes this authority: add it, or choose another one with AIRLOCK_ACME_DIRECTORY.',
  ],
  [
    'rateLimited',
    'The authority limits its certificates: wait. A restart does not help, and does not order again before that time.',
  ],
  ['rejectedIdentifier', 'The authority issues no certificate for this name: correct AIRLOCK_ACME_DOMAINS.'],
  ['invalidContact', 'The authority does not accept the contact: correct AIRLOCK_ACME_EMAIL.'],
  [
    'externalAccountRequired',
    'The authority needs an account that was made on its site, which is not supported: choose another one.',
  ],
  ['unreachable', 'The authority does not answer: check AIRLOCK_ACME_DIRECTORY and the way to the Internet.'],
]);

export async function checkAcme(config: Config, nowMs = Date.now()): Promise<CheckResult[]> {
  const { acmeDomains: domains, acmeDirectory: directory, certsDir } = config;
  if (domains.length === 0) return [];
  const status = readAcmeStatus(certsDir);
  const results = [ok(WHAT, `${domains.join(', ')} from ${directory}`), ...(await checkNames(domains))];
  if (status?.problem === undefined) {
    if (status?.expiresMs === undefined) results.push(ok(WHAT, 'ordered at the first start'));
    return results;
  }
  const { problem, detail = '', nextAttemptMs = 0 } = status;
  const next =
    nextAttemptMs > nowMs ? `next try at ${new Date(nextAttemptMs).toISOString()}` : 'next try within a minute';
  const advice = ADVICE.get(problem) ?? 'See the reason of the authority.';
  results.push(warn(WHAT, `no certificate was issued (${problem}: ${detail}); ${next}. ${advice}`));
  return results;
}

async function checkNames(domains: readonly string[]): Promise<CheckResult[]> {
  const found = await Promise.all(
    domains.map((name) =>
      lookup(name).then(
        () => [],
        () => [warn(WHAT, `${name} does not resolve on this machine: the authority must find it`)],
      ),
    ),
  );
  return found.flat();
}
