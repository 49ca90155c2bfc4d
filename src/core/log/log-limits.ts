/** Limits of the audit log as a Merkle tree, for `limits`. */
export const logLimits = {
  /** Tiles of the log that one request builds, 256 records each: about a second. A longer log is built by several requests. */
  logTilesPerCallMax: 512,
  /** Tiles of the log that are stored at once. */
  logTilesSavedMax: 64,
  /** Characters of a checkpoint with its signatures: fifty cosignatures. */
  logNoteCharactersMax: 8_192,
  /** Keys that can have signed the checkpoints of one log. */
  logKeysMax: 1_000,
} as const
