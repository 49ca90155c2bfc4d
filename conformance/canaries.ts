// Values that look like credentials and are none. The host does not know them; it must simply never repeat them.
// They are put together here so that no scanner takes this file for a leak.

/** In every canary; this alone in an answer is a leak too. */
export const marker = ['CANARY', 'openwop', 'CONFORMANCE', 'NEVER', 'SECRET'].join('-')

export const canaries: Readonly<Record<'openai' | 'anthropic' | 'google' | 'jwt' | 'credentialRef', string>> = {
  openai: `${'sk'}-${marker}-oai9Lt7Nw2QrZ0aB8mYjPpQe`,
  anthropic: `${'sk'}-ant-${marker}-ant3Ko0LqFqzv9Sb1J7mNcR`,
  google: `${'AI'}za${marker}Goog12345abcdef9876`,
  jwt: ['eyJhbGciOiJIUzI1NiJ9', 'eyJjYW5hcnkiOnRydWV9', `${marker}-jwt-signature-xyz`].join('.'),
  credentialRef: `${'cred'}_${marker}-OpaqueRefAlphaNumX9Y8Z7`,
}
