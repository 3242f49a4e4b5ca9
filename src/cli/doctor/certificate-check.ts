/** Checks the certificate of the listeners and prints how encoders can trust it. Creates nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificate, CertificateError, inspectCertificate } from '../../config/certificates/certificates.js';
import type { Config } from '../../config/settings/schema.js';
import { type CheckResult, fail, ok, warn } from './check.js';
import { TRUST, thisSystem, trustCommand } from './trust.js';

const WHAT = 'certificate';

export function checkCertificate(config: Config): CheckResult[] {
  const isLocal = config.tlsCert === undefined;
  const file = config.acmeDomains.length > 0 ? 'acme.crt' : 'server.crt';
  if (isLocal && !existsSync(join(config.certsDir, file))) {
    return [ok(WHAT, `none in ${config.certsDir} yet: one is created at the first start`)];
  }
  let certificate: Certificate;
  try {
    certificate = inspectCertificate(config);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    return [
      isLocal ? warn(WHAT, `${error.message}: a new one is created at the next start`) : fail(WHAT, error.message),
    ];
  }
  const until = new Date(certificate.expiresMs).toISOString().slice(0, 10);
  const results = certificate.warnings.map((text) => warn(WHAT, text));
  results.unshift(ok(WHAT, `${certificate.certFile}, for ${certificate.names.join(', ')}, until ${until}`));
  if (certificate.authorityFile !== undefined) {
    const system = thisSystem();
    results.push(
      ok('trust', `${TRUST[system].name}: ${trustCommand(system, certificate.authorityFile)}`),
      ok('OBS', TRUST[system].obs),
    );
  }
  return results;
}
