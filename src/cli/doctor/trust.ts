/**
 * Commands with which each system trusts the local authority. OBS has its own TLS library, which reads the ROOT store on
 * Windows, the files in /etc/ssl/certs on Linux, and only Apple's built-in roots on macOS, to which no certificate can be
 * added (OBS, plugins/obs-outputs/librtmp/rtmp.c, RTMP_TLS_LoadCerts).
 */
import { existsSync, readFileSync } from 'node:fs';

export type TrustSystem = 'debian' | 'fedora' | 'macos' | 'windows';

export interface TrustSteps {
  readonly name: string;
  /** One line for a terminal; FILE is the authority's certificate. */
  readonly command: string;
  readonly obs: string;
}

export const TRUST: Readonly<Record<TrustSystem, TrustSteps>> = {
  debian: {
    name: 'Debian, Ubuntu',
    command: 'sudo cp FILE /usr/local/share/ca-certificates/airlock.crt && sudo update-ca-certificates',
    obs: 'Restart OBS; it reads /etc/ssl/certs.',
  },
  fedora: {
    name: 'Fedora, RHEL',
    command: 'sudo cp FILE /etc/pki/ca-trust/source/anchors/airlock.crt && sudo update-ca-trust',
    obs: 'Restart OBS; it reads /etc/ssl/certs.',
  },
  macos: {
    name: 'macOS',
    command: 'sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain FILE',
    obs: 'OBS reads only Apple’s built-in roots: configure a certificate of a public authority (AIRLOCK_TLS_CERT, AIRLOCK_TLS_KEY). For browsers and curl the command is enough.',
  },
  windows: {
    name: 'Windows',
    command: 'certutil -user -addstore Root FILE',
    obs: 'Restart OBS; it reads the ROOT store.',
  },
};

/** The system of this machine; Debian when the distribution is unknown. */
export function thisSystem(platform: NodeJS.Platform = process.platform, releaseFile = '/etc/os-release'): TrustSystem {
  if (platform === 'darwin') return 'macos';
  if (platform === 'win32') return 'windows';
  const release = existsSync(releaseFile) ? readFileSync(releaseFile, 'utf8') : '';
  return /^ID(_LIKE)?=.*\b(fedora|rhel|centos)\b/m.test(release) ? 'fedora' : 'debian';
}

export function trustCommand(system: TrustSystem, authorityFile: string): string {
  const quoted = /^[\w./\\:-]+$/.test(authorityFile) ? authorityFile : `"${authorityFile}"`;
  return TRUST[system].command.replace('FILE', quoted);
}
