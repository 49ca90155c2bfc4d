import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DeadLetterPage } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

type Delivery = DeadLetterPage['deliveries'][number]

/** The deliveries to one webhook that failed too often. Each can be sent again. */
export function DeadLettersDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const pages = useInfiniteQuery({
    queryKey: ['live', 'dead-letters', id],
    queryFn: ({ pageParam, signal }) => api.webhooks.deadLetters(id, { cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const retry = useMutation({
    mutationFn: async (wanted: readonly Delivery[]) => {
      for (const { deliveryId } of wanted) await api.webhooks.redeliver(deliveryId)
      return wanted.length
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const items = pages.data?.pages.flatMap(({ deliveries }) => deliveries) ?? []
  return (
    <Dialog side open onClose={onClose} title="Dead letters of a webhook" description={id}>
      {retry.isError && <Failure error={retry.error} />}
      {retry.isSuccess && (
        <p role="status" className="mb-3 text-good">
          {retry.data === 1 ? '1 delivery' : `${retry.data} deliveries`} queued again.
        </p>
      )}
      {pages.isPending && <Loading />}
      {pages.isError && <Failure error={pages.error} onRetry={() => pages.refetch()} />}
      {pages.isSuccess && items.length === 0 && (
        <Empty title="No dead letters.">Deliveries that fail too often are kept here for 14 days.</Empty>
      )}
      {items.length > 0 && (
        <>
          <ScopedButton scope="memory:admin" small disabled={retry.isPending} onClick={() => retry.mutate(items)}>
            Retry {items.length === 1 ? 'it' : `all ${items.length}`}
          </ScopedButton>
          <Table<Delivery>
            caption="Dead letters"
            items={items}
            keyOf={({ deliveryId }) => deliveryId}
            columns={[
              {
                name: 'Event',
                cell: ({ eventType, runId }) => (
                  <>
                    {eventType} of{' '}
                    <Link to="/runs/$runId" params={{ runId }} className="text-accent underline">
                      its run
                    </Link>
                  </>
                ),
              },
              {
                name: 'Last answer',
                cell: ({ attempts, lastStatus }) =>
                  `${lastStatus === undefined ? 'no answer' : `status ${lastStatus}`} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
              },
              { name: 'Given up', cell: ({ deadLetteredAt }) => <Time at={deadLetteredAt} short /> },
              { name: 'Kept until', cell: ({ expiresAt }) => <Time at={expiresAt} short /> },
              {
                name: 'Actions',
                isNameHidden: true,
                cell: (delivery) => (
                  <ScopedButton
                    scope="memory:admin"
                    small
                    disabled={retry.isPending}
                    onClick={() => retry.mutate([delivery])}
                  >
                    Retry
                  </ScopedButton>
                ),
              },
            ]}
          />
        </>
      )}
      {pages.hasNextPage && (
        <div className="p-3 text-center">
          <Button small disabled={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
            More
          </Button>
        </div>
      )}
    </Dialog>
  )
}
