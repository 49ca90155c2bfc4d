import { useQuery } from '@tanstack/react-query'
import type { Forget } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { saveAs } from '../../ui/save-as.ts'
import { Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { LayerCounts } from './layer-counts.tsx'

const refetchMs = 1_000

/** One erasure: its progress and, once completed, the signed receipt. */
export function ForgetDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
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
            by {forget.data.selector.kind}, <Time at={forget.data.requestedAt} />
          </p>
          <p>{forget.data.reason}</p>
          {forget.data.receipt === undefined ? (
            <LayerCounts caption="Erased so far" counts={forget.data.counts} />
          ) : (
            <Receipt receipt={forget.data.receipt} />
          )}
        </div>
      )}
    </Dialog>
  )
}

function Receipt({ receipt }: { readonly receipt: NonNullable<Forget['receipt']> }) {
  return (
    <section aria-label="Receipt" className="space-y-3 rounded-md border border-good p-4">
      <h3 className="font-serif text-base">Receipt</h3>
      {receipt.note !== undefined && <p className="text-bad">{receipt.note}</p>}
      <LayerCounts caption="Erased" counts={receipt.erased} />
      <LayerCounts caption="Left after the erasure (checked)" counts={receipt.left} />
      <dl className="grid grid-cols-[8rem_1fr] gap-x-3 gap-y-1 text-sm">
        <dt className="text-muted">Completed</dt>
        <dd>
          <Time at={receipt.completedAt} />
        </dd>
        <dt className="text-muted">Database files</dt>
        <dd>{receipt.physical}</dd>
        <dt className="text-muted">Audit head</dt>
        <dd>
          {receipt.audit.position} <Identifier value={receipt.audit.hash} />
        </dd>
        <dt className="text-muted">Signature</dt>
        <dd>
          {receipt.signature.algorithm} <Identifier value={receipt.signature.value} />
        </dd>
      </dl>
      <Button small onClick={() => saveAs(`${receipt.id}.json`, 'application/json', JSON.stringify(receipt, null, 2))}>
        Save the receipt
      </Button>
      <p className="text-muted text-xs">
        To verify it on any machine: <code className="font-mono">colophon forget verify {receipt.id}.json</code>
      </p>
    </section>
  )
}
