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

export function isTrust(value: unknown): value is Trust {
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
