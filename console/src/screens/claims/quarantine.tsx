import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { QuarantinePage } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

type QuarantinedMemory = QuarantinePage['memories'][number]
type Verb = 'release' | 'reject'
type Decision = { readonly memory: QuarantinedMemory; readonly verb: Verb }

/** Memories below the trust floor, which a person releases or rejects. */
export function Quarantine() {
  const [decision, setDecision] = useState<Decision | null>(null)
  const pages = useInfiniteQuery({
    queryKey: ['live', 'quarantine'],
    queryFn: ({ pageParam, signal }) => api.quarantine.list({ limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  if (pages.isPending) return <Loading />
  if (hasFailed(pages)) return <Failure error={pages.error} />
  const memories = pages.data.pages.flatMap((page) => page.memories)
  if (memories.length === 0) return <Empty title="Nothing is in quarantine." />
  return (
    <div className="overflow-y-auto">
      <ul aria-label="Quarantine" className="grid gap-3">
        {memories.map((memory) => (
          <li key={memory.id} className="border-line rounded-md border p-3">
            <p className="mb-1 flex flex-wrap items-center gap-2 text-sm">
              <Badge tone="warn">{memory.trust}</Badge>
              <span className="text-muted break-all">{memory.memoryRef}</span>
              <Time at={memory.createdAt} short />
            </p>
            <p className="mb-3 font-serif text-base break-words">{memory.content}</p>
            <div className="flex items-center gap-2">
              <ScopedButton
                scope="memory:admin"
                small
                kind="primary"
                onClick={() => setDecision({ memory, verb: 'release' })}
              >
                Release
              </ScopedButton>
              <ScopedButton scope="memory:admin" small onClick={() => setDecision({ memory, verb: 'reject' })}>
                Reject
              </ScopedButton>
              <Link to="/memories/$id" params={{ id: memory.id }} className="text-accent text-sm underline">
                Colophon
              </Link>
            </div>
          </li>
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button small className="mt-3" onClick={() => pages.fetchNextPage()}>
          More
        </Button>
      )}
      {decision !== null && <QuarantineDialog {...decision} onClose={() => setDecision(null)} />}
    </div>
  )
}

function QuarantineDialog({ memory, verb, onClose }: Decision & { readonly onClose: () => void }) {
  const isRelease = verb === 'release'
  return (
    <ReasonDialog
      title={isRelease ? 'Release this memory?' : 'Reject this memory?'}
      description={isRelease ? 'It is verified from now on.' : 'It ends. Earlier snapshots keep it.'}
      action={isRelease ? 'Release it' : 'Reject it'}
      decide={(reason) => api.quarantine[verb](memory.id, { reason, version: memory.version })}
      onClose={onClose}
    />
  )
}
