import { useQuery } from '@tanstack/react-query'
import type { Forget } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { LayerCounts } from './layer-counts.tsx'
import { ReceiptView } from './receipt-view.tsx'
import { wordsOfSelector } from './words.ts'

const refetchMs = 1_000

/** One erasure: its progress and, once completed, the signed receipt. */
export function ErasureDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const forget = useQuery<Forget>({
    queryKey: ['live', 'forget', id],
    queryFn: ({ signal }) => api.forget.get(id, { signal }),
    refetchInterval: (query) => (query.state.data?.status === 'erasing' ? refetchMs : false),
  })
  return (
    <Dialog side open onClose={onClose} title="Erasure" description={id}>
      {forget.isPending && <Loading />}
      {forget.isError && <Failure error={forget.error} onRetry={() => forget.refetch()} />}
      {forget.isSuccess && (
        <div className="space-y-4">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={forget.data.status === 'completed' ? 'good' : 'accent'}>{forget.data.status}</Badge>
            {wordsOfSelector(forget.data.selector.kind)}, <Time at={forget.data.requestedAt} />
          </p>
          <p>{forget.data.reason}</p>
          {forget.data.receipt === undefined ? (
            <LayerCounts caption="Erased so far" counts={forget.data.counts} />
          ) : (
            <ReceiptView receipt={forget.data.receipt} />
          )}
        </div>
      )}
    </Dialog>
  )
}
