/** Cipher suites of the listeners, by name. TLS 1.3 suites are all of the first kind. */

const FORWARD_SECRET = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  // CBC with SHA-2, for TLS libraries without GCM.
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-RSA-AES128-SHA256',
  'ECDHE-ECDSA-AES256-SHA384',
  'ECDHE-RSA-AES256-SHA384',
];

/** Without forward secrecy, or CBC with SHA-1: some camera firmware offers nothing else. */
const LEGACY = [
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA256',
  'AES256-SHA256',
  'AES128-SHA',
  'AES256-SHA',
];

export type TlsSuites = 'modern' | 'legacy';

/** For `ciphers` of a TLS context. CCM, ARIA, Camellia and DSS are in neither list. */
export function cipherList(suites: TlsSuites): string {
  return (suites === 'legacy' ? [...FORWARD_SECRET, ...LEGACY] : FORWARD_SECRET).join(':');
}
