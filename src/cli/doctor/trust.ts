/**
 * How each system comes to trust the local authority. OBS brings its own TLS and reads, on Windows, the ROOT store; on
 * Linux, the files in /etc/ssl/certs; on macOS, only Apple's own list of roots, to which nobody can add
 * (plugins/obs-outputs/librtmp/rtmp.c, RTMP_TLS_LoadCerts).
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
    obs: 'Start OBS again; it reads /etc/ssl/certs.',
  },
  fedora: {
    name: 'Fedora, RHEL',
    command: 'sudo cp FILE /etc/pki/ca-trust/source/anchors/airlock.crt && sudo update-ca-trust',
    obs: 'Start OBS again; it reads /etc/ssl/certs.',
  },
  macos: {
    name: 'macOS',
    command: 'sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain FILE',
    obs: 'OBS reads Apple’s own roots only: give the server a certificate of a public authority (AIRLOCK_TLS_CERT, AIRLOCK_TLS_KEY). Browsers and curl need only the command.',
  },
  windows: {
    name: 'Windows',
    command: 'certutil -user -addstore Root FILE',
    obs: 'Start OBS again; it reads the ROOT store.',
  },
};

/** The system that this process runs on; Debian's way where the distribution is not known. */
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
