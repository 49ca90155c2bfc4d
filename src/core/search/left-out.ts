/** Why a match is not among the results of a search. */
export const leftOutReasons = ['below_relevance', 'over_budget', 'below_trust'] as const

/** A match that is not among the results, by its id only. */
export type LeftOut = {
  readonly id: string
  readonly reason: (typeof leftOutReasons)[number]
  readonly relevance: number
}

type Match = { readonly id: string; readonly relevance: number }

/** The matches of a search without its minimum, budget and class that are not among its results, each with the first reason that applies. */
export function leftOutOf(matches: {
  /** Of every class. */
  readonly all: readonly Match[]
  /** Of the classes that the search returns. */
  readonly trusted: readonly Match[]
  readonly relevant: readonly Match[]
  readonly shown: readonly { readonly id: string }[]
}): LeftOut[] {
  const [trusted, relevant, shown] = [matches.trusted, matches.relevant, matches.shown].map(
    (list) => new Set(list.map(({ id }) => id)),
  )
  return [...matches.trusted, ...matches.all.filter(({ id }) => !trusted?.has(id))].flatMap(({ id, relevance }) => {
    if (shown?.has(id)) return []
    const reason = !trusted?.has(id) ? 'below_trust' : relevant?.has(id) ? 'over_budget' : 'below_relevance'
    return [{ id, reason, relevance } as const]
  })
}
