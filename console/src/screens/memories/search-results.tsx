import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SearchAnswer } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

type Result = SearchAnswer['results'][number]

/** Search results, best first, with highlighted words and the parts of each score. */
export function SearchResults({ memoryRef, query }: { readonly memoryRef: string; readonly query: string }) {
  const [search] = useAddress()
  const { asOf, tag, category } = search
  const found = useQuery({
    queryKey: [asOf === undefined ? 'live' : 'past', 'search', memoryRef, query, asOf, tag, category],
    queryFn: ({ signal }) =>
      api.memory.search(
        memoryRef,
        query,
        { limit: 50, explain: true, highlights: true, asOf, tag, category },
        { signal },
      ),
  })
  if (found.isPending) return <Loading label="Searching" />
  if (found.isError) return <Failure error={found.error} onRetry={() => found.refetch()} />
  if (found.data.results.length === 0) return <Empty title="No results.">Try fewer or other words.</Empty>
  return (
    <ol aria-label="Results" className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
      {found.data.results.map((result) => (
        <li key={result.entry.id}>
          <Link to="/memories/$id" params={{ id: result.entry.id }} className="block px-4 py-2 hover:bg-sunken">
            <Marked result={result} />
            <span className="mt-1 flex flex-wrap items-center gap-1.5 text-muted text-xs">
              <Time at={result.entry.createdAt} short />
              <Badge tone="accent">score {result.score.toFixed(2)}</Badge>
              <Explanation result={result} />
            </span>
          </Link>
        </li>
      ))}
    </ol>
  )
}

function Marked({ result: { entry, snippet } }: { readonly result: Result }) {
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

/** The largest parts of the score. */
function Explanation({ result: { parts = {} } }: { readonly result: Result }) {
  const largest = Object.entries(parts)
    .filter(([, value]) => Math.abs(value) >= 0.01)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
    .slice(0, 4)
  return largest.map(([name, value]) => (
    <span key={name}>
      {name} {value > 0 ? '+' : ''}
      {value.toFixed(2)}
    </span>
  ))
}
