import type { CheckName } from './checks.ts'

/** A built-in detection rule for one kind of secret. Plain data; `compile.ts` compiles it. */
export type SecretRule = {
  /** Appears in markers and in the audit, so changing it is visible to users. */
  readonly id: string
  readonly description: string
  /** Joined, a secret that this rule finds. Written in parts, so that repository scanners do not report this file. */
  readonly example: readonly string[]
  /** Every match starts with one of these literals; the rule is tried nowhere else. At least 3 characters. */
  readonly anchors: readonly string[]
  /** For secrets with the literal in the middle: the part before the anchor, which is secret too. */
  readonly before?: RegExp
  /** The text before the secret that stays readable, such as `password=` or `postgres://user:`. */
  readonly keep?: RegExp
  /**
   * The secret itself. Bounded, or greedy up to the end of its own alphabet, so that it cannot backtrack. The flag `i` on it
   * or on `keep` applies to both, because they are compiled into one expression.
   */
  readonly pattern: RegExp
  /** A further check of the match, for formats with many false positives. */
  readonly check?: CheckName
  /** Set when the rule matches by the text around the secret. Rules that know the format of the secret come first and name it. */
  readonly contextual?: true
  /** The id shown in the marker, when it differs from `id`. A group `label` in the pattern takes precedence. */
  readonly label?: string
}
