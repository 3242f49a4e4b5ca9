import type { Case } from '../../case.js';

function isValidNow(certificate: { readonly valid_from: string; readonly valid_to: string } | undefined): boolean {
  if (certificate === undefined) return false;
  return Date.parse(certificate.valid_from) <= Date.now() && Date.now() < Date.parse(certificate.valid_to);
}

export const trusted: Case = {
  id: 'tls/trusted',
  group: 'tls',
  clause: 'RFC 5280 6',
  level: 'should',
  title: 'The certificate and its chain are verified by a client that trusts the authority',
  needs: 'tls',
  async run(trial) {
    if (!trial.peer.isVerifying) trial.skip('--insecure: the certificate is not verified');
    const line = await trial.line({ tls: { rejectUnauthorized: true } });
    trial.check(
      'a certificate that is valid now',
      isValidNow(line.tls?.certificate),
      `${line.tls?.certificate.valid_from} to ${line.tls?.certificate.valid_to}`,
    );
  },
};
