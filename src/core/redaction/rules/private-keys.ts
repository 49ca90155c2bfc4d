import type { SecretRule } from './rule.ts'

/**
 * Private keys in any format. Certificates and public keys are not secret and stay.
 *
 * A PEM block is matched up to the next run of dashes, so its lines may be wrapped, escaped, quoted or prefixed in any way. A
 * truncated block is matched line by line as long as the lines look like base64.
 */
export const privateKeyRules: readonly SecretRule[] = [
  {
    id: 'private-key',
    description: 'PEM, OpenSSH, PGP or SSH2 private key',
    example: ['-----BEGIN RSA PRIV', 'ATE KEY-----\n', 'MIIEpAIB\nAAKCAQEA\n', '-----END RSA PRIV', 'ATE KEY-----'],
    anchors: ['-----BEGIN', '---- BEGIN'],
    pattern:
      /-{4,5} ?BEGIN(?:[ +]|%20)[A-Z0-9 +%]{0,60}?(?:PRIVATE|SECRET)(?:[ +]|%20)KEY(?:(?:[ +]|%20)BLOCK)? ?-{4,5}(?:(?:[^-]|-(?!---)){1,32768}-{4,5} ?END(?:[ +]|%20)[A-Z0-9 +%]{0,60}KEY(?:(?:[ +]|%20)BLOCK)? ?-{4,5}|(?:(?:\s|\\{1,4}[nr]){1,4}[A-Za-z-]{4,20}: [^\n\\]{1,120}){0,4}(?:(?:[\s"'`>#*,]|\\{1,4}[nrt]?|%0[AaDd]){1,16}[A-Za-z0-9+/=%]{16,}){1,2000}(?:(?:\s|\\{1,4}[nr]){1,4}[A-Za-z0-9+/]{1,80}={1,2})?)/,
    check: 'pemBody',
  },
  {
    id: 'encoded-private-key',
    description: 'PEM private key, base64-encoded as a whole',
    example: ['LS0tLS1CRUdJTi', 'BSU0EgUFJJVkFURSBLRVkt', 'a1B2'.repeat(20)],
    anchors: ['LS0tLS1CRUdJTi'],
    // The words "PRIVATE KEY" at any of the three alignments of base64.
    pattern:
      /LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,24}?(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)[A-Za-z0-9+/]{16,}(?:(?:\s|\\{1,4}[nr]){1,4}[A-Za-z0-9+/]{16,}){0,400}(?:(?:\s|\\{1,4}[nr]){1,4}[A-Za-z0-9+/]{2,}={1,2}(?![A-Za-z0-9])|={1,2})?/,
  },
  {
    id: 'openssh-key-body',
    description: 'Body of an OpenSSH private key without its header and footer',
    example: ['b3BlbnNza', 'C1rZXktdjE', 'AAAAA', 'a1B2'.repeat(20)],
    anchors: ['b3BlbnNzaC1rZXktdjE'],
    pattern:
      /b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{16,}(?:(?:\s|\\{1,4}[nr]){1,4}[A-Za-z0-9+/]{16,}){0,400}(?:(?:\s|\\{1,4}[nr]){1,4}[A-Za-z0-9+/]{2,}={1,2}(?![A-Za-z0-9])|={1,2})?/,
  },
  {
    id: 'putty-private-key',
    description: 'PuTTY private key',
    example: [
      'PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-',
      'Lines: 1\n',
      'a1B2'.repeat(11),
      '\nPrivate-MAC: ',
      'a1b2'.repeat(16),
    ],
    anchors: ['Private-Lines:'],
    keep: /Private-Lines:[ \t]{0,4}\d{1,4}/,
    pattern:
      /(?:\s|\\{1,4}[nr]){1,4}[A-Za-z0-9+/]{16,}(?:(?:\s|\\{1,4}[nr]){1,4}[A-Za-z0-9+/]{16,}){0,400}(?:(?:\s|\\{1,4}[nr]){1,4}[A-Za-z0-9+/]{2,}={1,2}(?![A-Za-z0-9])|={1,2})?(?:(?:\s|\\{1,4}[nr]){1,4}Private-MAC: [a-f0-9]{40,64})?/,
  },
  {
    id: 'jwk-private-key',
    description: 'Private part of a JSON web key',
    example: ['{"kty":"EC","crv":"P-256","x":"a","', 'd":"', 'a1B2_'.repeat(8), 'c3D"}'],
    anchors: ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'].flatMap((name) => [`"${name}"`, `"${name}\\"`, `'${name}'`]),
    keep: /(?<=["'](?:kty|crv|n|e|x|y|kid|use|alg|key_ops|ext|p|q|dp|dq|qi)\\?["']\s{0,4}:[^{}]{0,400})["'](?:d|k|p|q|dp|dq|qi)\\?["']\s{0,4}:\s{0,4}\\?["']/,
    pattern: /[A-Za-z0-9_-]{32,2048}/,
    check: 'mixedCase',
  },
  {
    id: 'xml-private-key',
    description: 'Private exponent of an RSA key in XML',
    example: ['<RSAKeyValue><Modulus>a</Modulus><', 'D>', 'a1B2/'.repeat(16), '</D></RSAKeyValue>'],
    anchors: ['<D>', '<P>', '<Q>', '<DP>', '<DQ>', '<InverseQ>'],
    keep: /<(?:D|P|Q|DP|DQ|InverseQ)>\s{0,8}/,
    pattern: /[A-Za-z0-9+/\s]{40,2048}={0,2}(?=\s{0,8}<\/(?:D|P|Q|DP|DQ|InverseQ)>)/,
    check: 'mixedCase',
  },
  {
    id: 'age-secret-key',
    description: 'age encryption key',
    example: ['AGE-SECRET-', 'KEY-1', 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)],
    anchors: ['AGE-SECRET-KEY-'],
    pattern: /AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}/,
  },
  {
    id: 'minisign-secret-key',
    description: 'minisign or signify secret key',
    example: ['untrusted comment: minisign encrypted secret key\n', 'RWRTY0Iy', 'a1B2'.repeat(30)],
    anchors: ['RWRTY0Iy'],
    pattern: /RWRTY0Iy[A-Za-z0-9+/]{60,}={0,2}/,
  },
  {
    id: 'wallet-private-key',
    description: 'Extended private key of a wallet (BIP-32)',
    example: ['xp', 'rv', 'a1B2'.repeat(26), 'c3D'],
    anchors: ['xprv', 'yprv', 'zprv', 'tprv', 'uprv', 'vprv'],
    pattern: /[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}/,
  },
]
