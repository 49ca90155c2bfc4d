import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { isClientError, type Memory } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { sinceWrites, useAsOf } from '../../app/moment.ts'
import { Named } from '../../app/names.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ColophonChain } from '../memories/colophon-chain.tsx'
import { EntryActions } from '../memories/entry-actions.tsx'
import { TagBadge } from '../memories/tag-badge.tsx'
import { Versions } from '../memories/versions.tsx'
import { RefLink } from '../subjects/ref-link.tsx'
import { ProofPanel } from './proof-panel.tsx'
import { DecisionPanel, RivalsPanel } from './resolution-panels.tsx'
import { SourceQuote } from './source-quote.tsx'
import { UsesPanel, useUses } from './uses-panel.tsx'

const LineageGraph = lazy(() => import('./lineage-graph.tsx'))

/** One memory: why it is believed, what was said, what decided, what lost, and what it led to. */
export function BeliefScreen() {
  const { id } = useParams({ from: '/memories/$id' })
  const asOf = useAsOf()
  const memory = useQuery({
    queryKey: [sinceWrites(asOf), 'memory', id, asOf],
    queryFn: ({ signal }) => api.memories.get(id, { as_of: asOf }, { signal }),
  })
  if (memory.isPending) return <Loading />
  if (memory.isError) {
    if (!isClientError(memory.error) || memory.error.status !== 404)
      return <Failure error={memory.error} onRetry={() => memory.refetch()} />
    return asOf === undefined ? (
      <Empty title="This memory no longer exists.">It was deleted, has expired, or was erased.</Empty>
    ) : (
      <Empty title="There was no such memory then.">
        It was written later, deleted before, or has been erased since.
      </Empty>
    )
  }
  return <Belief memory={memory.data} />
}

function Belief({ memory }: { readonly memory: Memory }) {
  const asOf = useAsOf()
  const navigate = useNavigate()
  const uses = useUses(memory)
  const colophon = useQuery({
    queryKey: [sinceWrites(asOf), 'colophon', memory.memory_ref, memory.id, asOf],
    queryFn: ({ signal }) => api.memory.colophon(memory.memory_ref, memory.id, { asOf }, { signal }),
  })
  return (
    <article className="mx-auto max-w-7xl">
      <nav aria-label="Breadcrumb" className="mb-2 text-muted">
        <Link to="/memories" className="underline">
          Memories
        </Link>{' '}
        / <RefLink memoryRef={memory.memory_ref} className="break-all underline" />
        {memory.claim_key !== null && ` / ${memory.claim_key}`}
      </nav>
      <h1 className="max-h-96 overflow-y-auto font-serif text-2xl break-words whitespace-pre-wrap">{memory.content}</h1>
      {colophon.isSuccess && (
        <p role="note" aria-label="Why" className="mt-2 text-lg break-words">
          <Named text={colophon.data.headline} />
        </p>
      )}
      <div className="mt-3 mb-4 flex flex-wrap items-center gap-1.5">
        <Badge tone={memory.status === 'active' ? 'good' : 'warn'}>
          {memory.status === 'active' ? 'current' : memory.status}
        </Badge>
        <Badge>{memory.category}</Badge>
        <Badge>version {memory.version}</Badge>
        <Badge tone={memory.quarantined ? 'warn' : 'neutral'}>
          {memory.quarantined ? `${memory.trust}, in quarantine` : memory.trust}
        </Badge>
        <Badge>
          {memory.sources} source{memory.sources === 1 ? '' : 's'}, {memory.writers} writer
          {memory.writers === 1 ? '' : 's'}
        </Badge>
        {memory.tags.map((tag) => (
          <TagBadge key={tag} tag={tag} />
        ))}
        {memory.expires_at !== undefined && (
          <Badge tone="warn">
            expires <Time at={memory.expires_at} short />
          </Badge>
        )}
        <Identifier value={memory.id} />
      </div>
      {asOf === undefined && (
        <EntryActions
          memory={memory}
          onDeleted={() => void navigate({ to: '/memories', search: { ref: memory.memory_ref } })}
        />
      )}
      {colophon.isPending && <Loading />}
      {colophon.isError && <Failure error={colophon.error} onRetry={() => colophon.refetch()} />}
      {colophon.isSuccess && (
        <>
          <div className="grid items-start gap-4 lg:grid-cols-3">
            <SourceQuote memory={memory} colophon={colophon.data} />
            <DecisionPanel resolution={colophon.data.resolution} />
            <RivalsPanel resolution={colophon.data.resolution} />
          </div>
          <div className="mt-4 grid items-start gap-4 lg:grid-cols-2">
            <Panel title="Versions">
              <div className="p-4">
                <Versions entryId={memory.id} />
              </div>
            </Panel>
            <div className="grid gap-4">
              <UsesPanel memory={memory} />
              <ProofPanel colophon={colophon.data} />
            </div>
          </div>
          <Panel title="Lineage" className="mt-4">
            {/* A chunk of its own: only this page needs it. */}
            <Suspense fallback={<Loading />}>
              <LineageGraph colophon={colophon.data} uses={uses.data} />
            </Suspense>
          </Panel>
          <Panel title="Every step" className="mt-4">
            <div className="p-4">
              <ColophonChain colophon={colophon.data} />
            </div>
          </Panel>
        </>
      )}
    </article>
  )
}
