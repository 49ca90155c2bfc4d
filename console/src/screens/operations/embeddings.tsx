import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { EmbeddingsStatus } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'

/** Jobs make the vectors, and the change stream does not report jobs. */
const refetchMs = 5_000

/** The embedder of this server, and how far it is with the entries of the tenant. */
export function Embeddings() {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const status = useQuery({
    queryKey: ['live', 'embeddings'],
    queryFn: ({ signal }) => api.embeddings.status({ signal }),
    refetchInterval: refetchMs,
  })
  const rebuild = useMutation({
    mutationFn: () => api.embeddings.rebuild(),
    onSuccess: async () => {
      setAsking(false)
      await queries.invalidateQueries({ queryKey: ['live'] })
    },
  })
  return (
    <Panel
      title="Embeddings"
      actions={
        status.data?.configured && (
          <ScopedButton scope="memory:admin" small onClick={() => setAsking(true)}>
            Rebuild all vectors …
          </ScopedButton>
        )
      }
    >
      {status.isPending && <Loading />}
      {status.isError && <Failure error={status.error} onRetry={() => status.refetch()} />}
      {status.isSuccess && <InWords status={status.data} />}
      {rebuild.isSuccess && (
        <p role="status" className="px-4 pb-4 text-good">
          A job makes all vectors again.
        </p>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Make all vectors again?"
          action="Rebuild"
          isBusy={rebuild.isPending}
          error={rebuild.error}
          onConfirm={() => rebuild.mutate()}
          onClose={() => setAsking(false)}
        >
          Every text is sent to the embedder again, which may cost money. Search goes on by words, and by the vectors
          that there are.
        </ConfirmDialog>
      )}
    </Panel>
  )
}

function InWords({ status }: { readonly status: EmbeddingsStatus }) {
  const { configured, working, model, dimensions, failure, versions, waiting, vectors, otherVectors } = status
  if (!configured)
    return (
      <p className="p-4">
        This server has no embedder: search uses words only. The setting{' '}
        <code className="font-mono text-xs">COLOPHON_EMBEDDINGS</code> selects one.
      </p>
    )
  return (
    <div className="space-y-2 p-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={working ? 'good' : 'bad'}>{working ? 'working' : 'not working'}</Badge>
        <span>
          {model ?? 'unknown model'}
          {dimensions !== null && `, ${dimensions} dimensions`}
        </span>
      </p>
      {failure !== null && (
        <p className="text-bad">It failed last with {failure}. Until it works, search uses words only.</p>
      )}
      <p>
        {waiting === 0
          ? `All ${versions.toLocaleString()} versions have their vectors.`
          : `${waiting.toLocaleString()} of ${versions.toLocaleString()} versions wait for a vector; until then they are found by their words.`}
      </p>
      <p className="text-muted">
        Searches use {vectors.toLocaleString()} vectors.
        {otherVectors > 0 &&
          ` ${otherVectors.toLocaleString()} vectors of another model are not used, and are removed once all texts have new ones.`}
      </p>
    </div>
  )
}
