import type { CheckName } from './checks.ts'

/** What a secret of one kind looks like. Plain data; `src/core/redaction/secret-patterns.ts` compiles it. */
export type Rule = {
  /** Stands in the marker and in the audit, so it is part of what readers see. */
  readonly id: string
  readonly description: string
  /** Joined, it is a secret this rule finds. In parts, so that scanners of repositories do not stumble over it. */
  readonly example: readonly string[]
  /** Every match holds one of these where `keep` or `pattern` begins; nothing is tried elsewhere. At least 3 characters. */
  readonly anchors: readonly string[]
  /** For secrets whose literal stands in the middle: what comes before the anchor and is secret too. */
  readonly before?: RegExp
  /** What comes before the secret and stays readable, such as `password=` or `postgres://user:`. */
  readonly keep?: RegExp
  /**
   * The secret itself. Bounded, or greedy up to the end of its own alphabet: it must not be able to fail late. The
   * flag `i` on it or on `keep` counts for both, because they become one expression.
   */
  readonly pattern: RegExp
  /** A second look at what matched, for shapes that are not enough by themselves. */
  readonly check?: CheckName
  /** Found by the words around it. Rules that know the secret's own shape are asked first and give the name. */
  readonly contextual?: true
  /** What the marker says where that is not the id; a group `label` in the pattern wins over it. */
  readonly label?: string
}
