import { ColophonError, invalid } from '../errors.ts'

/**
 * The origin class of a version, lowest first: how far its text may be relied on, from the credential that wrote it and never from the
 * text itself.
 *
 * - `untrusted`: output of tools, web content, imports of unknown signature.
 * - `agent`: runs, MCP, SDKs, writers without a key of their own.
 * - `service`: a writer that is bound to a key.
 * - `verified`: an operator has pinned, edited or released it with a reason.
 */
export const trustClasses = ['untrusted', 'agent', 'service', 'verified'] as const

export type Trust = (typeof trustClasses)[number]

/** The class of a write whose credential says nothing else. */
export const defaultTrust: Trust = 'agent'

/** The class that a value has with it. Without one, or with none that is known, it is the lowest: nothing is trusted because something was left out. */
export function classOf({ trust }: { readonly trust?: Trust | undefined }): Trust {
  return isTrust(trust) ? trust : 'untrusted'
}

function isTrust(value: unknown): value is Trust {
  return (trustClasses as readonly unknown[]).includes(value)
}

/** The class as a number that grows with trust: how both databases store it. */
export function trustRank(trust: Trust): number {
  return trustClasses.indexOf(trust)
}

/** The class of a stored number. A number of a newer program is not trusted. */
export function trustOfRank(rank: number): Trust {
  return trustClasses[rank] ?? 'untrusted'
}

/** The lowest of several classes: what is derived from all of them has it. */
export function lowestTrust(first: Trust, ...others: readonly Trust[]): Trust {
  return others.reduce((lowest, trust) => (trustRank(trust) < trustRank(lowest) ? trust : lowest), first)
}

/** Refuses a value that is no class. */
export function checkTrust(field: string, value: unknown): asserts value is Trust {
  if (!isTrust(value)) throw invalid(field, `must be one of ${trustClasses.join(', ')}`)
}

/** The class of a write: that of its credential, or the lower one that the call asks for. A call cannot ask for a higher one. */
export function writeTrust(own: Trust, requested: Trust | undefined): Trust {
  if (requested === undefined || trustRank(requested) <= trustRank(own)) return requested ?? own
  throw new ColophonError(
    'trust_exceeds_credential',
    `The class ${requested} is above the class of this credential, which is ${own}.`,
    { details: { field: 'trust', requested, max: own } },
  )
}

/** The class of a text of a writer that had read others: what is untrusted stays untrusted when it is repeated. */
export function trustAfterReading(own: Trust, read: readonly Trust[]): Trust {
  return read.includes('untrusted') ? 'untrusted' : own
}

/** Whether something of this class is below a floor: stored and auditable, but not returned by default. */
export function isBelow(trust: Trust, floor: Trust): boolean {
  return trustRank(trust) < trustRank(floor)
}
