/** A plain ranking by shared words: rare words count more, newer memories win ties. For a few texts that a client holds; search of stored memory is elsewhere. */

const word = /[\p{L}\p{N}]+/gu

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(word) ?? []).map(stem)
}

/** English endings that do not change what is meant; crude, and the same on both sides. */
function stem(text: string): string {
  return text.length > 4 ? text.replace(/(ing|edly|ed|es|s|ly)$/, '') : text
}

export type Ranked<T> = { readonly item: T; readonly score: number }

export function rankByWords<T>(query: string, items: readonly T[], textOf: (item: T) => string): Ranked<T>[] {
  const wanted = [...new Set(wordsOf(query))]
  const bags = items.map((item) => new Set(wordsOf(textOf(item))))
  const weights = new Map(
    wanted.map((text) => {
      const holding = bags.filter((bag) => bag.has(text)).length
      return [text, Math.log(1 + (items.length + 1) / (holding + 0.5))] as const
    }),
  )
  const most = [...weights.values()].reduce((sum, weight) => sum + weight, 0) || 1
  return items
    .map((item, index) => {
      const shared = wanted.filter((text) => bags[index]?.has(text))
      const score = shared.reduce((sum, text) => sum + (weights.get(text) ?? 0), 0) / most
      return { item, score, index }
    })
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ item, score }) => ({ item, score: Math.round(score * 1_000) / 1_000 }))
}
