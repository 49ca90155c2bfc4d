import { useQuery } from '@tanstack/react-query'
import { isClientError } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { sinceWrites } from '../../app/moment.ts'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Time } from '../../ui/time.tsx'
import { ColophonChain } from './colophon-chain.tsx'
import { EntryActions } from './entry-actions.tsx'
import { Versions } from './versions.tsx'

/** One entry: its content, its colophon, its versions, and its actions. */
export function EntryDrawer({ entryId }: { readonly entryId: string }) {
  const [search, change] = useAddress()
  const close = () => change({ entry: undefined, part: undefined })
  const memory = useQuery({
    queryKey: [sinceWrites(search.asOf), 'memory', entryId, search.asOf],
    queryFn: ({ signal }) => api.memories.get(entryId, { as_of: search.asOf }, { signal }),
  })
  return (
    <Dialog side open onClose={close} title="Memory" description={entryId}>
      {memory.isPending && <Loading />}
      {memory.isError &&
        (isClientError(memory.error) && memory.error.status === 404 ? (
          <Empty title={search.asOf === undefined ? 'This memory no longer exists.' : 'There was no such memory then.'}>
            {search.asOf === undefined
              ? 'It was deleted, has expired, or was erased.'
              : 'It was written later, deleted before, or has been erased since.'}
          </Empty>
        ) : (
          <Failure error={memory.error} onRetry={() => memory.refetch()} />
        ))}
      {memory.isSuccess && (
        <>
          <blockquote className="mb-3 border-accent border-l-2 pl-4 font-serif text-lg break-words whitespace-pre-wrap">
            {memory.data.content}
          </blockquote>
          <div className="mb-4 flex flex-wrap items-center gap-1.5">
            <Badge tone={memory.data.status === 'active' ? 'good' : 'warn'}>{memory.data.status}</Badge>
            <Badge>{memory.data.category}</Badge>
            {memory.data.claim_key !== null && <Badge>{memory.data.claim_key}</Badge>}
            <Badge>version {memory.data.version}</Badge>
            <Badge tone={memory.data.quarantined ? 'warn' : 'neutral'}>
              {memory.data.quarantined ? `${memory.data.trust}, in quarantine` : memory.data.trust}
            </Badge>
            {memory.data.tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </div>
          <dl className="mb-4 grid grid-cols-[8rem_1fr] gap-x-3 gap-y-1 text-sm">
            <dt className="text-muted">Ref</dt>
            <dd className="break-all">{memory.data.memory_ref}</dd>
            <dt className="text-muted">Id</dt>
            <dd>
              <Identifier value={memory.data.id} length={40} />
            </dd>
            <dt className="text-muted">Created</dt>
            <dd>
              <Time at={memory.data.created_at} />
            </dd>
            {memory.data.expires_at !== undefined && (
              <>
                <dt className="text-muted">Expires</dt>
                <dd>
                  <Time at={memory.data.expires_at} />
                </dd>
              </>
            )}
            <dt className="text-muted">Confidence</dt>
            <dd>
              {memory.data.confidence_score} from {memory.data.sources} source{memory.data.sources === 1 ? '' : 's'} of{' '}
              {memory.data.writers} writer{memory.data.writers === 1 ? '' : 's'}
            </dd>
          </dl>
          {search.asOf === undefined && <EntryActions memory={memory.data} onDeleted={close} />}
          <Tabs
            value={search.part ?? 'colophon'}
            onChange={(part) => change({ part }, true)}
            tabs={[
              { id: 'colophon', name: 'Colophon', content: <ColophonChain memory={memory.data} /> },
              { id: 'versions', name: 'Versions', content: <Versions entryId={entryId} /> },
            ]}
          />
        </>
      )}
    </Dialog>
  )
}
