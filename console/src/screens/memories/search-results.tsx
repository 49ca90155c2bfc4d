import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SearchAnswer } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { sinceWrites } from '../../app/moment.ts'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { LeftOutList } from './left-out-list.tsx'
import { Marked } from './marked-text.tsx'
import { partsOf, type Result, whyFound, wordsOfPart } from './search-words.ts'

const resultsMax = 50

/** Search results, best first, with highlighted words, why each was found, and what was left out. */
export function SearchResults({ memoryRef, query }: { readonly memoryRef: string; readonly query: string }) {
  const [search] = useAddress()
  const { asOf, tag, category, writer, trust } = search
  const filters = {
    asOf,
    tag,
    category,
    writer,
    ...(trust === undefined ? {} : { filter: { trust }, trustMin: trust }),
  }
  const ask = { limit: resultsMax, highlights: true, ...filters } as Parameters<typeof api.memory.search>[2]
  const isAll = search.relevance === 'all'
  const found = useQuery<SearchAnswer>({
    queryKey: [sinceWrites(asOf), 'search', memoryRef, query, filters, isAll],
    queryFn: ({ signal }) =>
      api.memory.search(
        memoryRef,
        query,
        { ...ask, explain: true, ...(isAll ? {} : { minRelevance: 'auto' as const }) },
        { signal },
      ),
  })
  const leftOut = found.data?.leftOut ?? []
  // The answer names what was left out by id. The same search without a minimum has the texts.
  const texts = useQuery<SearchAnswer>({
    queryKey: [sinceWrites(asOf), 'search', memoryRef, query, filters, 'left out'],
    queryFn: ({ signal }) => api.memory.search(memoryRef, query, { ...ask, trustMin: 'untrusted' }, { signal }),
    enabled: leftOut.length > 0,
  })
  if (found.isPending) return <Loading label="Searching" />
  if (hasFailed(found)) return <Failure error={found.error} onRetry={() => found.refetch()} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <section aria-label="Search results" tabIndex={0} className="min-h-0 flex-1 overflow-y-auto">
      {found.data.degraded !== undefined && (
        <p role="status" className="border-line border-b px-4 py-2 text-sm text-warn">
          The embedder does not answer: only words were compared.
        </p>
      )}
      {found.data.results.length === 0 && (
        <Empty title={leftOut.length === 0 ? 'No results.' : 'Nothing here is about that.'}>
          Try fewer or other words.
        </Empty>
      )}
      <ol aria-label="Results" className="divide-y divide-line">
        {found.data.results.map((result) => (
          <li key={result.entry.id} className="px-4 py-2 hover:bg-sunken">
            <Link to="/memories/$id" params={{ id: result.entry.id }} className="block hover:underline">
              <Marked result={result} />
            </Link>
            <p className="mt-1 flex flex-wrap items-center gap-1.5 text-muted text-xs">
              <Time at={result.entry.createdAt} short />
              <Badge tone="accent">relevance {result.relevance.toFixed(2)}</Badge>
              {result.trust === 'untrusted' && <Badge tone="warn">untrusted</Badge>}
            </p>
            <Explanation result={result} />
          </li>
        ))}
      </ol>
      {leftOut.length > 0 && <LeftOutList leftOut={leftOut} found={texts.data?.results ?? []} />}
    </section>
  )
}

/** Why it was found, in words; opened, the parts of its score. */
function Explanation({ result }: { readonly result: Result }) {
  return (
    <details className="mt-1 text-xs">
      <summary className="cursor-pointer break-words text-muted">{whyFound(result)}</summary>
      <dl className="mt-1 grid max-w-md grid-cols-[1fr_auto] gap-x-4 gap-y-0.5 pl-4">
        {partsOf(result).map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{wordsOfPart(name)}</dt>
            <dd className="text-right font-mono">
              {value > 0 ? '+' : '−'}
              {Math.abs(value).toFixed(2)}
            </dd>
          </div>
        ))}
        <div className="contents font-medium">
          <dt>score</dt>
          <dd className="text-right font-mono">{result.score.toFixed(2)}</dd>
        </div>
      </dl>
    </details>
  )
}
