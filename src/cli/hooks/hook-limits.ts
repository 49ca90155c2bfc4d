/** Limits of the hooks of coding assistants, each with its unit. */
export const hookLimits = {
  /** From the start of the process to its end. The assistant waits for it, so it ends within a second whatever the server does. */
  hookMsDefault: 900,
  /** No option allows more. */
  hookMsMax: 1_000,
  /** What an assistant may send on standard input. */
  inputBytesMax: 1_048_576,
  /** A longer message is stored without its middle, and says so. */
  textCharactersMax: 4_000,
  /** The end of a transcript that is read before a compaction. */
  transcriptBytesMax: 262_144,
  /** Messages that are saved before a compaction: the newest that are not stored yet. */
  savedMessagesMax: 40,
  /** Entries of this session that those messages are compared with. */
  comparedEntriesMax: 200,
  recalledEntriesMax: 20,
  /** Claude Code takes 10,000 characters from a hook. */
  recalledCharactersMax: 8_000,
  /** The ids of a session and of a turn, as the assistant sends them. */
  idCharactersMax: 80,
  failuresKept: 20,
} as const

/** How long a hook may still take. A larger limit than a second is a second: a refused call would store nothing. */
export function hookMsLeft(limitMs: number, uptimeMs: number): number {
  return Math.max(0, Math.min(limitMs, hookLimits.hookMsMax) - uptimeMs)
}
