import { type Trust, trustClasses, trustRank } from '../entries/trust.ts'
import type { Assertion } from './claim.ts'

/** A credential in a line: the actor of a key. An operator has the scope `memory:admin`, and could verify a content itself. */
export type Credential = { readonly actor: string; readonly isOperator: boolean }

/** For each actor: its own credential, the one that made it, the one that made that, and so on. */
export type CredentialLines = ReadonlyMap<string, readonly Credential[]>

type Supporter = Pick<Assertion, 'trust' | 'actor' | 'observedAt'>

/**
 * The class of a content, from the set of its assertions. It is the highest class C for which one of these holds:
 *
 * - an assertion of at least C was observed before every assertion below C, so it does not repeat one of them;
 * - two independent credentials of at least C state it;
 * - an operator states it, with the class `verified`.
 *
 * Otherwise it is the lowest class of its assertions: a text from an untrusted source that an agent repeats stays untrusted, also after
 * the first assertion was withdrawn. It is a pure function of the set, so it does not depend on the order of arrival.
 */
export function contentTrust(
  supporters: readonly Supporter[],
  lines: CredentialLines,
  withdrawn: readonly Supporter[] = [],
): Trust {
  return highestFirst.find((trust) => isReached(trust, supporters, lines, withdrawn)) ?? 'untrusted'
}

const highestFirst = [...trustClasses].reverse()

function isReached(
  trust: Trust,
  supporters: readonly Supporter[],
  lines: CredentialLines,
  withdrawn: readonly Supporter[],
): boolean {
  const isHigh = (supporter: Supporter) => trustRank(supporter.trust) >= trustRank(trust)
  const high = supporters.filter(isHigh)
  if (high.length === 0) return false
  if (trust === 'verified') return true
  const low = [...supporters, ...withdrawn].filter((supporter) => !isHigh(supporter))
  return firstObserved(high) < firstObserved(low) || hasIndependentPair(high, lines)
}

// Not Math.min(...instants): a claim can have more assertions than a call can have arguments.
function firstObserved(supporters: readonly Supporter[]): number {
  return supporters.reduce((first, { observedAt }) => Math.min(first, observedAt), Number.POSITIVE_INFINITY)
}

function hasIndependentPair(supporters: readonly Supporter[], lines: CredentialLines): boolean {
  const actors = [...new Set(supporters.flatMap(({ actor }) => actor ?? []))]
  return actors.some((first, at) => actors.slice(at + 1).some((second) => isIndependent(first, second, lines)))
}

/**
 * Whether two credentials can corroborate each other. Neither may have made the other, and no credential below an operator may have made
 * both: it could make any number of them.
 */
function isIndependent(first: string, second: string, lines: CredentialLines): boolean {
  const [left, right] = [lineOf(first, lines), lineOf(second, lines)]
  const isMadeBy = (line: readonly Credential[], maker: string) => line.some(({ actor }) => actor === maker)
  if (isMadeBy(left, second) || isMadeBy(right, first)) return false
  return !left.some(({ actor, isOperator }) => !isOperator && isMadeBy(right, actor))
}

function lineOf(actor: string, lines: CredentialLines): readonly Credential[] {
  return lines.get(actor) ?? [{ actor, isOperator: false }]
}

/** Whether the classes of these assertions differ. If they do not, no class and no floor has to be decided. */
export function hasMixedTrust(assertions: readonly Pick<Assertion, 'trust'>[]): boolean {
  return assertions.some(({ trust }) => trust !== assertions[0]?.trust)
}
