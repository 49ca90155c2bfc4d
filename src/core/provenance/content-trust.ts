import { type Trust, trustClasses, trustRank } from '../entries/trust.ts'
import type { Assertion } from './claim.ts'

/** A credential in a line: the actor of a key. An operator has the scope `memory:admin`, and could verify a content itself. */
export type Credential = { readonly actor: string; readonly isOperator: boolean }

/** A credential, the one that made it, the one that made that, and so on; null for a line that was not read to its end. */
export type CredentialLine = readonly Credential[] | null

/** The line of each actor. */
export type CredentialLines = ReadonlyMap<string, CredentialLine>

type Supporter = Pick<Assertion, 'trust' | 'actor' | 'observedAt' | 'recordedPosition'>

/**
 * The class of a content, from the set of its assertions. It is the highest class C for which one of these holds:
 *
 * - an assertion of at least C was observed before every assertion below C, so it does not repeat one of them. Against those of its own
 *   line it must also have been recorded before: the instant of an observation is the word of its sender;
 * - two independent credentials of at least C state it;
 * - an operator states it, with the class `verified`.
 *
 * Otherwise it is the lowest class of its assertions: a text from an untrusted source that an agent repeats stays untrusted, also after
 * the first assertion was withdrawn. It is a pure function of the set and of the positions in it. The order of arrival matters only
 * between credentials of one line.
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
  return hasFirst(high, low, lines) || hasIndependentPair(high, lines)
}

/** Whether one of these was observed before every other, and recorded before the others of its line. */
function hasFirst(high: readonly Supporter[], low: readonly Supporter[], lines: CredentialLines): boolean {
  const observedBefore = least(low, ({ observedAt }) => observedAt)
  const lowByActor = [...Map.groupBy(low, ({ actor }) => actor)].map(
    ([actor, others]) => [actor, least(others, ({ recordedPosition }) => recordedPosition)] as const,
  )
  return [...Map.groupBy(high, ({ actor }) => actor)].some(([actor, own]) => {
    const ofLine = lowByActor.filter(([other]) => !isIndependent(actor, other, lines))
    const recordedBefore = least(ofLine, ([, position]) => position)
    return own.some((item) => item.observedAt < observedBefore && item.recordedPosition < recordedBefore)
  })
}

// Not Math.min(...values): a claim can have more assertions than a call can have arguments.
function least<Item>(items: readonly Item[], toValue: (item: Item) => number): number {
  return items.reduce((first, item) => Math.min(first, toValue(item)), Number.POSITIVE_INFINITY)
}

function hasIndependentPair(supporters: readonly Supporter[], lines: CredentialLines): boolean {
  const actors = [...new Set(supporters.flatMap(({ actor }) => actor ?? []))]
  return actors.some((first, at) => actors.slice(at + 1).some((second) => isIndependent(first, second, lines)))
}

/**
 * Whether two credentials are of different lines, so that they can corroborate each other. Neither may have made the other, and no
 * credential below an operator may have made both: it could make any number of them. Nothing is known of a line that was cut or not
 * read, nor of a statement without an actor: they are independent of nothing.
 */
function isIndependent(first: string | null, second: string | null, lines: CredentialLines): boolean {
  const [left, right] = [lineOf(first, lines), lineOf(second, lines)]
  if (left === null || right === null) return false
  const isMadeBy = (line: readonly Credential[], maker: string | null) => line.some(({ actor }) => actor === maker)
  if (isMadeBy(left, second) || isMadeBy(right, first)) return false
  return !left.some(({ actor, isOperator }) => !isOperator && isMadeBy(right, actor))
}

function lineOf(actor: string | null, lines: CredentialLines): CredentialLine {
  return (actor === null ? null : lines.get(actor)) ?? null
}

/** Whether the classes of these assertions differ. If they do not, no class and no floor has to be decided. */
export function hasMixedTrust(assertions: readonly Pick<Assertion, 'trust'>[]): boolean {
  return assertions.some(({ trust }) => trust !== assertions[0]?.trust)
}
