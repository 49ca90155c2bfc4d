/** Limits of access tokens and of the keys that verify them, for `limits`. */
export const tokenLimits = {
  /** An access token (JWT) of an OAuth issuer. */
  tokenCharactersMax: 8_192,
  /** How much the clock of the issuer may differ from ours. */
  tokenClockSkewMs: 60_000,
  /** The public keys of the issuer are read again after this time, or for an unknown key id. */
  issuerKeysCacheMs: 600_000,
  /** But not more often than this, so that tokens with invented key ids make no load. */
  issuerKeysRetryMs: 10_000,
  /** Known keys stay valid for so long if the issuer does not answer. */
  issuerKeysStaleMs: 3_600_000,
  issuerKeysTimeoutMs: 5_000,
  issuerKeysBytesMax: 262_144,
} as const
