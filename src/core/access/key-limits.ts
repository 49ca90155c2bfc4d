/** Limits of API keys, for `limits`. */
export const keyLimits = {
  keysPerTenantMax: 1_000,
  keyNameCharactersMax: 128,
  /** How long a revoked or replaced key may stay valid at most. */
  keyOverlapMsMax: 7 * 24 * 60 * 60 * 1_000,
  /** How long a process may answer from memory what another process can change: keys, and whether a tenant is enabled. */
  credentialCacheMs: 200,
  /** The last use of a key is stored at most this often. */
  keyUseNoteMs: 60_000,
  /** Keys before the bound one, of rotations, that a writer still accepts. A key lives for at most seven days after its rotation. */
  writerReplacedKeysMax: 8,
  /** A key and those that made it, one after another, that are looked at to see whether two keys are independent. Of a longer line, none is. */
  credentialLineMax: 64,
} as const
