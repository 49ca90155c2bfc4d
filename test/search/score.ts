/** Figures of one ranked list against the memories that hold the answer. */
export type Score = { readonly [name: string]: number }

const cuts = [5, 10, 20, 50] as const

export function scoreOf(evidence: readonly string[], ranked: readonly string[]): Score {
  const wanted = new Set(evidence)
  const first = ranked.findIndex((id) => wanted.has(id))
  let gain = 0
  let ideal = 0
  for (let at = 0; at < 10; at++) {
    if (wanted.has(ranked[at] ?? '')) gain += 1 / Math.log2(at + 2)
    if (at < wanted.size) ideal += 1 / Math.log2(at + 2)
  }
  const recall = cuts.map((cut) => [
    `recall@${cut}`,
    new Set(ranked.slice(0, cut).filter((id) => wanted.has(id))).size / wanted.size,
  ])
  return { ...Object.fromEntries(recall), 'nDCG@10': gain / ideal, MRR: first < 0 ? 0 : 1 / (first + 1) }
}

export function meanOf(scores: readonly Score[]): Score {
  const names = Object.keys(scores[0] ?? {})
  return Object.fromEntries(
    names.map((name) => [name, scores.reduce((sum, score) => sum + (score[name] ?? 0), 0) / scores.length]),
  )
}
