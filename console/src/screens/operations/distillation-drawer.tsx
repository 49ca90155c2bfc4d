import { useQuery } from '@tanstack/react-query'
import type { Distillation } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { SourceLinks } from './source-links.tsx'
import { UndoButton } from './undo-button.tsx'

/** One distillation: its archive, its sources, its tokens, and undo. */
export function DistillationDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const distillation = useQuery({
    queryKey: ['live', 'distillation', id],
    queryFn: ({ signal }) => api.distillations.get(id, { signal }),
  })
  return (
    <Dialog side open onClose={onClose} title="Distillation" description={id}>
      {distillation.isPending && <Loading />}
      {distillation.isError && <Failure error={distillation.error} onRetry={() => distillation.refetch()} />}
      {distillation.isSuccess && <Details distillation={distillation.data} />}
    </Dialog>
  )
}

function Details({ distillation }: { readonly distillation: Distillation }) {
  const { id, memoryRef, status, at, tokensUsed, tokenBudget, byteSize, sourceIds = [], runId, error } = distillation
  return (
    <>
      <p className="mb-3 flex flex-wrap items-center gap-2">
        <Badge tone={status === 'completed' ? 'good' : 'neutral'}>{status}</Badge>
        {memoryRef}, <Time at={at} />
      </p>
      {error !== undefined && (
        <p className="mb-3 text-bad">
          {error.code}: {error.message}
        </p>
      )}
      <p className="mb-3">
        {tokensUsed ?? 0} tokens used of a budget of {tokenBudget}; the archive has {byteSize} bytes.
      </p>
      <UndoButton isOffered={status === 'completed'} undo={() => api.distillations.undo(id)} />
      {status === 'completed' && <Archive distillation={distillation} />}
      <SourceLinks count={distillation.sourceCount} ids={sourceIds} runId={runId} />
    </>
  )
}

function Archive({ distillation: { memoryRef, archiveId } }: { readonly distillation: Distillation }) {
  const archive = useQuery({
    queryKey: ['live', 'archive', archiveId],
    queryFn: ({ signal }) => api.memory.get(memoryRef, archiveId ?? '', {}, { signal }),
    enabled: archiveId !== null,
  })
  return (
    <>
      <h3 className="mb-1 font-serif">Archive</h3>
      {archive.isError && <Failure error={archive.error} onRetry={() => archive.refetch()} />}
      {archive.isSuccess && (
        <blockquote className="mb-4 border-accent border-l-2 pl-3 break-words whitespace-pre-wrap">
          {archive.data.content}
        </blockquote>
      )}
    </>
  )
}
