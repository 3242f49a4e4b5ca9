/**
 * Creates a local certificate authority and server certificates signed by it (RFC 5280).
 *
 * Keys are RSA 2048 with SHA-256, the only combination that Mbed TLS in OBS, GnuTLS and OpenSSL under GStreamer and ffmpeg,
 * and camera firmware all accept. An ECDSA handshake is cheaper, but a publisher makes one handshake in hours.
 */
import 'reflect-metadata';
import { createPublicKey, X509Certificate as NodeCertificate, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { AUTHORITY_NAME, NAME_CONSTRAINTS_OID, nameConstraints } from './name-constraints.js';

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};
const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
/** Below the 398 days (and 825 for private authorities) that browsers and Apple's TLS accept. */
const LEAF_DAYS = 365;
/** Camera clocks may be slow: a certificate is valid from a day before it is created. */
const BACKDATED_MS = DAY_MS;

export interface PemPair {
  readonly certificate: string;
  readonly privateKey: string;
}

/** Pairs that are missing: an authority too, where none is given. */
export interface MissingPairs {
  readonly authority: PemPair | undefined;
  /** The key of a new authority that renews an earlier one: who trusts that one trusts certificates of the new one. */
  readonly authorityKey?: string | undefined;
  readonly names: readonly string[];
  readonly nowMs: number;
}

export interface MadePairs {
  readonly authority: PemPair;
  readonly server: PemPair;
}

export async function makePairs({ authority, authorityKey, names, nowMs }: MissingPairs): Promise<MadePairs> {
  const issuer = authority ?? (await makeAuthority(names, nowMs, authorityKey));
  return { authority: issuer, server: await makeServerCertificate(issuer, names, nowMs) };
}

/** An authority for certificates of `names` only. `key`: of an earlier one; its name follows from it, so it is the same. */
export async function makeAuthority(names: readonly string[], nowMs: number, key?: string): Promise<PemPair> {
  const keys = await (key === undefined ? webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify']) : keysOf(key));
  const keyIdentifier = await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto);
  // Part of the key identifier keeps several local authorities apart in a list of trusted roots.
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${AUTHORITY_NAME} ${keyIdentifier.keyId.slice(0, 8)}, O=Airlock`,
      keys,
      signingAlgorithm: RSA,
      notBefore: new Date(nowMs - BACKDATED_MS),
      notAfter: new Date(nowMs + AUTHORITY_DAYS * DAY_MS),
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        new Extension(NAME_CONSTRAINTS_OID, false, nameConstraints(names)),
        keyIdentifier,
      ],
    },
    webcrypto,
  );
  return { certificate: pem(certificate), privateKey: await privateKeyPem(keys.privateKey) };
}

/** A certificate for `names` (host names and IP addresses; the first is the common name). Returns the chain, leaf first. */
export async function makeServerCertificate(
  authority: PemPair,
  names: readonly string[],
  nowMs: number,
): Promise<PemPair> {
  const issuer = new X509Certificate(authority.certificate);
  const signingKey = await importPrivate(authority.privateKey);
  const keys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify']);
  const expiresMs = Math.min(nowMs + LEAF_DAYS * DAY_MS, issuer.notAfter.getTime());
  const leaf = await X509CertificateGenerator.create(
    {
      // A common name has at most 64 characters (RFC 5280, ub-common-name); clients check the alternative names.
      subject: `CN=${(names[0] ?? 'localhost').slice(0, 64)}, O=Airlock`,
      issuer: issuer.subject,
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: RSA,
      notBefore: new Date(nowMs - BACKDATED_MS),
      notAfter: new Date(expiresMs),
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(
          names.map((name) => ({ type: isIP(name) === 0 ? ('dns' as const) : ('ip' as const), value: name })),
        ),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        await AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificate: pem(leaf) + pem(issuer), privateKey: await privateKeyPem(keys.privateKey) };
}

const importPrivate = (key: string): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(key), RSA, true, ['sign']);

async function keysOf(key: string): Promise<webcrypto.CryptoKeyPair> {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const publicKey = await webcrypto.subtle.importKey('spki', spki, RSA, true, ['verify']);
  return { privateKey: await importPrivate(key), publicKey };
}

function pem(certificate: X509Certificate): string {
  return new NodeCertificate(Buffer.from(certificate.rawData)).toString();
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return `${PemConverter.encode(der, PemConverter.PrivateKeyTag)}\n`;
}
