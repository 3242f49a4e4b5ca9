/**
 * The certificate of the listeners: the configured one, else one signed by a local authority in the certs folder. The
 * authority is kept, so that encoders trust it once, until the server gets a name that it is not constrained to; it is
 * renewed, with its key, when a wrong clock made it and 30 days before it expires. The certificate is renewed as well when
 * the names change.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { makeFolder } from '../folders.js';
import type { Config } from '../settings/schema.js';
import { acmePaths, useAcmePair, writePair } from './acme-files.js';
import type { MadePairs, MissingPairs, PemPair } from './authority.js';
import { AUTHORITY_NAME, isConstrained, permits } from './name-constraints.js';

const DAY_MS = 86_400_000;
const RENEW_BEFORE_DAYS = 30;
const WARN_BEFORE_DAYS = 14;

/** A certificate that cannot be used. The message names the file and the cause. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  readonly code = 'BAD_CERTIFICATE';
}

export interface CertificatePaths {
  /** PEM chain, leaf first. */
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Certificate extends CertificatePaths {
  readonly kind: 'local' | 'given' | 'acme';
  /** Certificate of the local authority, which encoders must trust. */
  readonly authorityFile?: string;
  readonly names: readonly string[];
  readonly expiresMs: number;
  /** Files that this call created. */
  readonly made: 'nothing' | 'certificate' | 'authority';
  /** One sentence each, for the log and `doctor`. */
  readonly warnings: readonly string[];
}

type CertificateConfig = Pick<
  Config,
  'certsDir' | 'tlsCert' | 'tlsKey' | 'publicHost' | 'publicRtmpsUrl' | 'publicHttpUrl'
> &
  Partial<Pick<Config, 'acmeDomains'>>;

export type MakePairs = (missing: MissingPairs) => Promise<MadePairs>;

/** Loaded on demand: the X.509 library is large, and a certificate is created once a year. */
const makeHere: MakePairs = async (missing) => (await import('./authority.js')).makePairs(missing);

/** Finds or creates the certificate. @throws CertificateError */
export async function ensureCertificate(
  config: CertificateConfig,
  { nowMs = Date.now(), make = makeHere }: { readonly nowMs?: number; readonly make?: MakePairs } = {},
): Promise<Certificate> {
  if (config.tlsCert !== undefined && config.tlsKey !== undefined) {
    return givenCertificate(config.tlsCert, config.tlsKey, publicNames(config), nowMs);
  }
  const local = await localCertificate(config.certsDir, publicNames(config), nowMs, make);
  return usesAcme(config) ? acmeCertificate(config, local, nowMs) : local;
}

const usesAcme = ({ acmeDomains = [] }: CertificateConfig): boolean => acmeDomains.length > 0;

/** Until the authority has issued one, the certificate of the local authority stands in its place. */
function acmeCertificate(config: CertificateConfig, local: Certificate, nowMs: number): Certificate {
  const paths = acmePaths(config.certsDir);
  const leaf = readIfUsable(() => readPair(paths))?.chain[0];
  if (leaf === undefined || isLocal(leaf)) {
    const { cert, key } = readPair(local);
    useAcmePair(config.certsDir, { certificate: cert.toString(), privateKey: key.toString() });
  }
  return inspectAcme(config, nowMs);
}

function inspectAcme(config: CertificateConfig, nowMs: number): Certificate {
  const paths = acmePaths(config.certsDir);
  const certificate = givenCertificate(paths.certFile, paths.keyFile, publicNames(config), nowMs);
  const [leaf] = readPair(paths).chain;
  const standIn = `${paths.certFile} is of the local authority until one is issued: encoders that do not trust that authority reject it`;
  return {
    ...certificate,
    kind: 'acme',
    warnings: leaf !== undefined && isLocal(leaf) ? [standIn] : certificate.warnings,
  };
}

/** Whether a local authority has signed it, also an earlier one. */
const isLocal = (leaf: X509Certificate): boolean => leaf.issuer.includes(`CN=${AUTHORITY_NAME} `);

/** The existing certificate; creates nothing. @throws CertificateError when there is no usable one */
export function inspectCertificate(config: CertificateConfig, nowMs = Date.now()): Certificate {
  const names = publicNames(config);
  if (config.tlsCert !== undefined && config.tlsKey !== undefined) {
    return givenCertificate(config.tlsCert, config.tlsKey, names, nowMs);
  }
  if (usesAcme(config)) return inspectAcme(config, nowMs);
  const inFolder = (name: string) => join(config.certsDir, name);
  const certificate = givenCertificate(inFolder('server.crt'), inFolder('server.key'), names, nowMs);
  const found = loadAuthority(config.certsDir);
  const fault = found === undefined ? 'cannot be used' : (foreignTo(found, names) ?? outdated(found.issuer, nowMs));
  const isOfIt = found?.issuer.fingerprint256 === readPair(certificate).chain[1]?.fingerprint256;
  const warnings = [...certificate.warnings];
  if (fault !== undefined) warnings.push(`${inFolder('ca.crt')} ${fault}: it is made again at the next start`);
  else if (!isOfIt) {
    warnings.push(
      `${certificate.certFile} has another authority in its chain than ${inFolder('ca.crt')}: it is made again at the next start`,
    );
  }
  return { ...certificate, kind: 'local', authorityFile: inFolder('ca.crt'), warnings };
}

/** Host names and addresses that clients may connect to, without duplicates. */
function publicNames(config: Omit<CertificateConfig, 'certsDir' | 'tlsCert' | 'tlsKey'>): string[] {
  const fromUrls = [config.publicRtmpsUrl, config.publicHttpUrl]
    .filter((url) => url !== undefined)
    .map((url) => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));
  return [
    ...new Set([config.publicHost, ...fromUrls, 'localhost', '127.0.0.1', '::1'].map((name) => name.toLowerCase())),
  ];
}

/** Reads both files. @throws CertificateError when one is unreadable or they do not match */
export function readPair(paths: CertificatePaths): { cert: Buffer; key: Buffer; chain: X509Certificate[] } {
  const cert = readPem(paths.certFile);
  const key = readPem(paths.keyFile);
  const chain = parseChain(cert.toString('latin1'), paths.certFile);
  const [leaf] = chain;
  if (leaf === undefined) throw new CertificateError(`${paths.certFile} contains no PEM certificate`);
  if (!leaf.checkPrivateKey(parseKey(key, paths.keyFile))) {
    throw new CertificateError(`${paths.keyFile} is not the key of the first certificate in ${paths.certFile}`);
  }
  return { cert, key, chain };
}

/** Validity of the first certificate of a PEM chain. @throws CertificateError */
export function validityOf(chain: string): { readonly fromMs: number; readonly untilMs: number } {
  const [leaf] = parseChain(chain, 'the issued chain');
  if (leaf === undefined) throw new CertificateError('the issued chain contains no PEM certificate');
  return { fromMs: Date.parse(leaf.validFrom), untilMs: Date.parse(leaf.validTo) };
}

async function localCertificate(
  folder: string,
  names: readonly string[],
  nowMs: number,
  make: MakePairs,
): Promise<Certificate> {
  const paths = { certFile: join(folder, 'server.crt'), keyFile: join(folder, 'server.key') };
  const authorityFile = join(folder, 'ca.crt');
  const found = loadAuthority(folder);
  const foreign = found === undefined ? undefined : foreignTo(found, names);
  const fault = foreign ?? (found === undefined ? undefined : outdated(found.issuer, nowMs));
  const kept = fault === undefined ? found : undefined;
  const warnings = kept === undefined || isConstrained(kept.issuer.raw) ? [] : [unconstrained(authorityFile)];
  const chain = readIfUsable(() => readPair(paths))?.chain;
  const leaf = chain?.[0];
  if (
    leaf !== undefined &&
    kept !== undefined &&
    // An earlier certificate of the authority may have expired.
    chain?.[1]?.fingerprint256 === kept.issuer.fingerprint256 &&
    isCurrent(leaf, kept.issuer, names, nowMs)
  ) {
    const expiresMs = Date.parse(leaf.validTo);
    return { kind: 'local', ...paths, authorityFile, names, expiresMs, made: 'nothing', warnings };
  }
  // One of an earlier version could sign for any name with its key, so it gets a new one.
  const keepsKey = found !== undefined && foreign === undefined && isConstrained(found.issuer.raw);
  const authorityKey = keepsKey ? found.pair.privateKey : undefined;
  if (kept === undefined && (found !== undefined || existsSync(authorityFile))) {
    warnings.push(replaced(authorityFile, fault ?? 'could not be used', keepsKey));
  }
  try {
    makeFolder(folder);
    const { authority, server } = await make({ authority: kept?.pair, authorityKey, names, nowMs });
    if (kept === undefined) writePair(authority, authorityFile, join(folder, 'ca.key'));
    writePair(server, paths.certFile, paths.keyFile);
  } catch (error) {
    throw new CertificateError(
      `cannot create a certificate in ${folder}: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    );
  }
  const [made] = readPair(paths).chain;
  return {
    kind: 'local',
    ...paths,
    authorityFile,
    names,
    expiresMs: made === undefined ? nowMs : Date.parse(made.validTo),
    made: kept === undefined ? 'authority' : 'certificate',
    warnings,
  };
}

function unconstrained(authorityFile: string): string {
  return `${authorityFile} was made by an earlier version and can sign certificates for any name: delete it to get one for the names of this server only; encoders must then trust the new one`;
}

function replaced(authorityFile: string, fault: string, keepsKey: boolean): string {
  const means = keepsKey
    ? 'it has the same key, so clients that trust an earlier one accept this server while that one is valid; let them trust the new one before it expires'
    : 'clients that trusted the earlier one refuse this server until they trust the new one (npx airlock doctor prints the command)';
  return `the certificate of the local authority, ${authorityFile}, was made again, because it ${fault}: ${means}`;
}

interface Authority {
  readonly issuer: X509Certificate;
  readonly pair: PemPair;
}

/** Undefined when there is none that can sign. */
function loadAuthority(folder: string): Authority | undefined {
  const read = readIfUsable(() => readPair({ certFile: join(folder, 'ca.crt'), keyFile: join(folder, 'ca.key') }));
  const issuer = read?.chain[0];
  if (read === undefined || issuer === undefined || !issuer.ca) return undefined;
  return { issuer, pair: { certificate: issuer.toString(), privateKey: read.key.toString('latin1') } };
}

/** Why it cannot sign for these names. */
function foreignTo({ issuer }: Authority, names: readonly string[]): string | undefined {
  const refused = isConstrained(issuer.raw) ? names.filter((name) => !permits(issuer.raw, [name])) : [];
  return refused.length === 0 ? undefined : `is not for ${refused.join(', ')}`;
}

/** Why its time does not include this one. */
function outdated({ validFrom, validTo }: X509Certificate, nowMs: number): string | undefined {
  if (Date.parse(validFrom) > nowMs) return `is not valid before ${validFrom}`;
  if (Date.parse(validTo) > nowMs + RENEW_BEFORE_DAYS * DAY_MS) return undefined;
  return Date.parse(validTo) > nowMs ? `expires on ${validTo}` : `expired on ${validTo}`;
}

function isCurrent(leaf: X509Certificate, issuer: X509Certificate, names: readonly string[], nowMs: number): boolean {
  return (
    outdated(leaf, nowMs) === undefined &&
    leaf.checkIssued(issuer) &&
    leaf.verify(issuer.publicKey) &&
    sameNames(leaf, names)
  );
}

function sameNames(leaf: X509Certificate, names: readonly string[]): boolean {
  const held = (leaf.subjectAltName ?? '').split(', ').filter((entry) => entry !== '');
  return held.length === names.length && names.every((name) => covers(leaf, name));
}

function covers(leaf: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined;
}

/** Warns about each certificate of the chain, and about missing public names, not about localhost, which remote clients do not use. */
function givenCertificate(certFile: string, keyFile: string, wanted: readonly string[], nowMs: number): Certificate {
  const { chain } = readPair({ certFile, keyFile });
  const [leaf, next] = chain;
  if (leaf === undefined) throw new CertificateError(`${certFile} contains no PEM certificate`);
  const warnings: string[] = [];
  if (next === undefined && !leaf.checkIssued(leaf)) {
    warnings.push(
      `${certFile} holds only the leaf: encoders that lack the intermediate certificate will reject it. Append the intermediates (the "full chain" of your authority).`,
    );
  }
  warnings.push(...chain.flatMap((each, at) => chainFaults(each, chain[at + 1], at, certFile, nowMs)));
  const missing = wanted.filter((name) => !['localhost', '127.0.0.1', '::1'].includes(name) && !covers(leaf, name));
  if (missing.length > 0)
    warnings.push(`${certFile} is not for ${missing.join(', ')}: encoders that connect by that name will reject it`);
  return {
    kind: 'given',
    certFile,
    keyFile,
    names: alternativeNames(leaf),
    expiresMs: Date.parse(leaf.validTo),
    made: 'nothing',
    warnings,
  };
}

/** The fault of one certificate of a chain. `at`: its place, from 0. */
function chainFaults(
  certificate: X509Certificate,
  issuer: X509Certificate | undefined,
  at: number,
  certFile: string,
  nowMs: number,
): string[] {
  const faults: string[] = [];
  const { validFrom, validTo, subject } = certificate;
  const which = at === 0 ? certFile : `certificate ${at + 1} in ${certFile} (${subject.replaceAll('\n', ', ')})`;
  if (issuer !== undefined && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))) {
    faults.push(
      `certificate ${at + 2} in ${certFile} is not the issuer of certificate ${at + 1}: the chain is out of order`,
    );
  }
  const daysLeft = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS);
  if (Date.parse(validFrom) > nowMs) faults.push(`${which} is not valid before ${validFrom}: clients will reject it`);
  if (daysLeft < 0) faults.push(`${which} expired on ${validTo}: encoders will reject it`);
  else if (daysLeft < WARN_BEFORE_DAYS) faults.push(`${which} expires in ${daysLeft} days, on ${validTo}`);
  return faults;
}

function alternativeNames(leaf: X509Certificate): string[] {
  return (leaf.subjectAltName ?? '').split(', ').map((entry) => entry.replace(/^(DNS|IP Address):/, ''));
}

function parseChain(text: string, path: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new CertificateError(`${path} contains a malformed certificate`, { cause: error });
  }
}

function parseKey(pem: Buffer, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new CertificateError(`${path} contains no readable private key (PEM, without a passphrase)`, {
      cause: error,
    });
  }
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CertificateError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Undefined when the files are missing or broken: the server creates them again in its own folder. */
function readIfUsable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CertificateError) return undefined;
    throw error;
  }
}

/** Creates certificates in a thread, whose memory is returned when it ends: the X.509 library and its garbage take 15 MB. */
export const makeInThread: MakePairs = (missing) =>
  new Promise<MadePairs>((resolve, reject) => {
    const thread = new Worker(new URL('./authority-thread.js', import.meta.url), { workerData: missing });
    thread.once('message', resolve);
    thread.once('error', reject);
    // Has no effect once the pairs came.
    thread.once('exit', (code) => reject(new Error(`the thread that creates certificates ended with ${code}`)));
  });
