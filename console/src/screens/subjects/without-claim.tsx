import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { sinceWrites, useAsOf } from '../../app/moment.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { RefLink } from './ref-link.tsx'

/** The memories about a subject that are in no claim: notes of clients, and what runs and compactions wrote. */
export function useWithoutClaim(subject: string) {
  const asOf = useAsOf()
  return useInfiniteQuery({
    queryKey: [sinceWrites(asOf), 'without-claim', subject, asOf],
    queryFn: ({ pageParam, signal }) =>
      api.memory.searchAll(
        '',
        { kinds: ['memories'], subject, hasClaim: false, trustMin: 'untrusted', limit: 50, cursor: pageParam, asOf },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
}

/** They are found among the last changes of the tenant, so an old one needs another look. */
export function WithoutClaim({ pages }: { readonly pages: ReturnType<typeof useWithoutClaim> }) {
  const memories = pages.data?.pages.flatMap((page) => page.memories ?? []) ?? []
  if (!pages.isError && memories.length === 0 && !pages.hasNextPage) return null
  return (
    <Panel title="Without a claim">
      {pages.isError && <Failure error={pages.error} onRetry={() => pages.refetch()} />}
      <ul aria-label="Without a claim" className="divide-y divide-line">
        {memories.map((memory) => (
          <li key={memory.id} className="grid gap-x-3 px-4 py-2 sm:grid-cols-[11rem_1fr_auto]">
            <RefLink memoryRef={memory.memoryRef} className="truncate text-muted hover:underline" />
            <Link to="/memories/$id" params={{ id: memory.id }} className="min-w-0 break-words hover:underline">
              {memory.content}
              {memory.isCut && ' …'}
            </Link>
            <span className="flex items-center gap-1.5 text-muted text-xs">
              {memory.isQuarantined && <Badge tone="warn">quarantine</Badge>}
              <Time at={memory.changedAt} short />
            </span>
          </li>
        ))}
      </ul>
      {pages.hasNextPage && (
        <p className="flex flex-wrap items-center gap-3 px-4 py-2 text-muted text-sm">
          {memories.length === 0 && 'None among the last changes.'}
          <Button small disabled={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            Look further back
          </Button>
        </p>
      )}
    </Panel>
  )
}
