import type { RunSnapshot } from '../../../../src/client/index.ts'
import { Badge } from '../../ui/badge.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { useRunEvents } from './use-run-events.ts'

type Values = Readonly<Record<string, unknown>>

/** The messages of the run, oldest first. Events say who spoke and when; the words are in the run alone, and may be erased. */
export function RunConversation({ run, hasEnded }: { readonly run: RunSnapshot; readonly hasEnded: boolean }) {
  const events = useRunEvents(run.runId, hasEnded)
  if (events.isPending) return <Loading />
  if (hasFailed(events)) return <Failure error={events.error} onRetry={() => events.refetch()} />
  const written = events.data
    .filter(({ type, payload }) => type === 'channel.written' && (payload as Values).channel === 'conversation')
    .map(({ payload }) => ((payload as Values).value ?? {}) as Values)
  if (written.length === 0) return <Empty title="This run has no conversation." />
  const kept = new Map((run.channels?.conversation ?? []).map((message) => [message.messageId, message.content]))
  return (
    <Panel title="Conversation">
      <ol aria-label="Conversation" className="divide-y divide-line">
        {written.map((message) => (
          <li key={String(message.messageId)} className="px-4 py-2">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone={message.role === 'agent' ? 'accent' : 'neutral'}>{String(message.role)}</Badge>
              <span className="text-muted text-xs">{String(message.from)}</span>
              <span className="text-muted text-xs">
                <Time at={new Date(Number(message.ts)).toISOString()} short />
              </span>
            </p>
            <Words content={kept.get(message.messageId)} />
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function Words({ content }: { readonly content: unknown }) {
  if (content === undefined || content === null) return <p className="text-muted">The words were erased.</p>
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return <p className="font-serif break-words whitespace-pre-wrap">{text}</p>
}
