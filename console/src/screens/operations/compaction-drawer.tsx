import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { SourceLinks } from './source-links.tsx'
import { UndoButton } from './undo-button.tsx'

/** Why a consolidation made entries one, for a person. */
const whyMerged = {
  duplicate: 'They have the same words.',
  restatement: 'They have the same words, some in another form.',
  included: 'The text that stays has every sentence of the others.',
  correction: 'The text that stays says that it corrects the others.',
  'model-same': 'A model says that they say the same.',
  'model-corrects': 'A model says that the text that stays replaces the other.',
} as const

/** One compaction: its summary, its sources, and undo. */
export function CompactionDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const compaction = useQuery({
    queryKey: ['live', 'compaction', id],
    queryFn: ({ signal }) => api.compactions.get(id, { signal }),
  })
  const outputId = compaction.data?.outputId ?? null
  const output = useQuery({
    queryKey: ['live', 'memory', outputId],
    queryFn: ({ signal }) => api.memories.get(outputId ?? '', {}, { signal }),
    enabled: outputId !== null,
  })
  return (
    <Dialog side open onClose={onClose} title="Compaction" description={id}>
      {compaction.isPending && <Loading />}
      {compaction.isError && <Failure error={compaction.error} onRetry={() => compaction.refetch()} />}
      {compaction.isSuccess && (
        <>
          <p className="mb-3 flex flex-wrap items-center gap-2">
            <Badge tone={compaction.data.status === 'completed' ? 'good' : 'neutral'}>{compaction.data.status}</Badge>
            {compaction.data.memoryRef}, <Time at={compaction.data.at} />
          </p>
          {compaction.data.error !== undefined && (
            <p className="mb-3 text-bad">
              {compaction.data.error.code}: {compaction.data.error.message}
            </p>
          )}
          <UndoButton isOffered={compaction.data.status === 'completed'} undo={() => api.compactions.undo(id)} />
          {compaction.data.reason !== undefined && <p className="mb-4">{whyMerged[compaction.data.reason]}</p>}
          <h3 className="mb-1 font-serif">{compaction.data.reason === undefined ? 'Summary' : 'Text that stays'}</h3>
          {output.data !== undefined && (
            <blockquote className="mb-4 border-accent border-l-2 pl-3 break-words whitespace-pre-wrap">
              {output.data.content}
            </blockquote>
          )}
          <SourceLinks
            count={compaction.data.sourceCount}
            ids={compaction.data.sourceIds ?? []}
            runId={compaction.data.runId}
          />
        </>
      )}
    </Dialog>
  )
}
