import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookList } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { DeadLettersDrawer } from './dead-letters-drawer.tsx'
import { NewWebhookDialog } from './new-webhook.tsx'
import { RotateWebhook } from './rotate-webhook.tsx'

type Webhook = WebhookList['webhooks'][number]

/** Receivers of run events. Their URLs are not shown, because they often contain a token. */
export function Webhooks() {
  const [search, change] = useAddress()
  const [isAdding, setAdding] = useState(false)
  const [rotated, setRotated] = useState<string | null>(null)
  const [made, setMade] = useState<{ readonly title: string; readonly secret: string | undefined } | null>(null)
  const webhooks = useQuery({ queryKey: ['live', 'webhooks'], queryFn: ({ signal }) => api.webhooks.list({ signal }) })
  const items = webhooks.data?.webhooks ?? []
  return (
    <Panel
      title="Webhooks"
      actions={
        <ScopedButton scope="webhooks:manage" small onClick={() => setAdding(true)}>
          New webhook
        </ScopedButton>
      }
    >
      {webhooks.isPending && <Loading />}
      {webhooks.isError && <Failure error={webhooks.error} onRetry={() => webhooks.refetch()} />}
      {webhooks.isSuccess && items.length === 0 && (
        <Empty title="No webhooks.">A webhook sends the events of runs to a URL of yours, signed with a secret.</Empty>
      )}
      {items.length > 0 && (
        <Table<Webhook>
          caption="Webhooks"
          items={items}
          keyOf={({ webhookId }) => webhookId}
          columns={[
            { name: 'Id', cell: ({ webhookId }) => <Identifier value={webhookId} /> },
            {
              name: 'Receives',
              cell: ({ events, tags, format }) => (
                <>
                  {events.includes('*') ? 'every event' : events.join(', ')}
                  {tags.length > 0 && ` of runs with the tag ${tags.join(' or ')}`}{' '}
                  {format !== undefined && <Badge>CloudEvents</Badge>}
                </>
              ),
            },
            {
              name: 'Secret',
              cell: ({ secretFingerprint }) => <code className="font-mono text-xs">{secretFingerprint}…</code>,
            },
            { name: 'Since', cell: ({ createdAt }) => <Time at={createdAt} short /> },
            {
              name: 'Actions',
              isNameHidden: true,
              cell: ({ webhookId }) => (
                <span className="flex justify-end gap-2">
                  <Button small onClick={() => change({ webhook: webhookId })}>
                    Dead letters
                  </Button>
                  <ScopedButton scope="webhooks:manage" small onClick={() => setRotated(webhookId)}>
                    Rotate secret
                  </ScopedButton>
                  <Remove webhookId={webhookId} />
                </span>
              ),
            },
          ]}
        />
      )}
      {isAdding && (
        <NewWebhookDialog
          onClose={() => setAdding(false)}
          onMade={({ secret }) => setMade({ title: 'The secret of the new webhook', secret })}
        />
      )}
      {rotated !== null && (
        <RotateWebhook
          webhookId={rotated}
          onClose={() => setRotated(null)}
          onMade={({ secret }) => {
            setRotated(null)
            setMade({ title: 'The next secret of the webhook', secret })
          }}
        />
      )}
      {made !== null && <ShownOnce {...made} onClose={() => setMade(null)} />}
      {search.webhook !== undefined && (
        <DeadLettersDrawer id={search.webhook} onClose={() => change({ webhook: undefined })} />
      )}
    </Panel>
  )
}

function Remove({ webhookId }: { readonly webhookId: string }) {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => api.webhooks.delete(webhookId),
    onSuccess: async () => {
      setAsking(false)
      await queries.invalidateQueries({ queryKey: ['live', 'webhooks'] })
    },
  })
  return (
    <>
      <ScopedButton scope="webhooks:manage" small kind="danger" onClick={() => setAsking(true)}>
        Remove
      </ScopedButton>
      {isAsking && (
        <ConfirmDialog
          title={`Remove the webhook ${webhookId}?`}
          action="Remove webhook"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          Pending deliveries are not sent. Its URL and its secret cannot be restored.
        </ConfirmDialog>
      )}
    </>
  )
}
