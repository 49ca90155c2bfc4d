import type { Result } from './search-words.ts'

/** The text around the matches, with marked words. */
export function Marked({ result: { entry, snippet } }: { readonly result: Pick<Result, 'entry' | 'snippet'> }) {
  if (snippet === undefined) return <span className="line-clamp-2 break-words">{entry.content}</span>
  const pieces: React.ReactNode[] = []
  let at = 0
  for (const { start, end } of snippet.highlights) {
    pieces.push(snippet.text.slice(at, start), <mark key={start}>{snippet.text.slice(start, end)}</mark>)
    at = end
  }
  return (
    <span className="line-clamp-3 break-words">
      {pieces}
      {snippet.text.slice(at)}
    </span>
  )
}
