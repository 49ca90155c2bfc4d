import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Claim } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Named } from '../../app/names.tsx'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Panel } from '../../ui/panel.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { Time } from '../../ui/time.tsx'

type Content = Claim['contents'][number]
/** A decision: pin this content as the winner, or let the priorities decide again. */
type Decision = { readonly memoryId: string } | { readonly unpin: true }

/** The contents of a claim side by side, each with its priority and sources. */
export function ClaimSides({ claim }: { readonly claim: Claim }) {
  const [decision, setDecision] = useState<Decision | null>(null)
  return (
    <Panel
      title={`${claim.subject}: ${claim.claimKey ?? claim.category}`}
      actions={
        claim.pin !== null && (
          <ScopedButton scope="memory:admin" small onClick={() => setDecision({ unpin: true })}>
            Remove the pin
          </ScopedButton>
        )
      }
    >
      {claim.pin !== null && (
        <p className="border-line border-b px-4 py-2 text-sm">
          <Badge tone="accent">pinned</Badge> by <Named text={claim.pin.actor} />, <Time at={claim.pin.at} />:{' '}
          {claim.pin.reason}
        </p>
      )}
      <div className="grid gap-4 p-4 sm:grid-cols-2 xl:grid-cols-3">
        {claim.contents.map((content) => (
          <Side
            key={content.memoryId ?? content.content}
            content={content}
            isPinned={claim.pin?.memoryId === content.memoryId && content.memoryId !== null}
            onPin={(memoryId) => setDecision({ memoryId })}
          />
        ))}
      </div>
      {decision !== null && <DecisionDialog claim={claim} decision={decision} onClose={() => setDecision(null)} />}
    </Panel>
  )
}

type SideProps = { readonly content: Content; readonly isPinned: boolean; readonly onPin: (memoryId: string) => void }

function Side({ content, isPinned, onPin }: SideProps) {
  const { memoryId, status } = content
  return (
    <article
      aria-label={content.content}
      data-status={status}
      className={classNames('flex flex-col rounded-md border p-3', status === 'active' ? 'border-good' : 'border-line')}
    >
      <p className="mb-2 flex gap-1.5">
        <Badge tone={status === 'active' ? 'good' : 'neutral'}>{status === 'active' ? 'winner' : status}</Badge>
        {isPinned && <Badge tone="accent">pinned</Badge>}
      </p>
      <p className="mb-3 flex-1 font-serif text-base break-words">{content.content}</p>
      <dl className="mb-3 grid grid-cols-[6rem_1fr] gap-x-2 text-sm">
        <dt className="text-muted">source</dt>
        <dd className="break-words">{content.services.join(', ') || 'no registered service'}</dd>
        <dt className="text-muted">priority</dt>
        <dd>{content.priority}</dd>
        <dt className="text-muted">observed</dt>
        <dd>
          <Time at={content.observedAt} short />
        </dd>
        <dt className="text-muted">confidence</dt>
        <dd>{content.confidence}</dd>
        <dt className="text-muted">trust</dt>
        <dd>{content.trust}</dd>
        <dt className="text-muted">sources</dt>
        <dd>
          {content.sources} from {content.writers} writer{content.writers === 1 ? '' : 's'}
        </dd>
      </dl>
      {memoryId !== null && (
        <div className="flex items-center gap-2">
          <ScopedButton
            scope="memory:admin"
            small
            kind={status === 'active' ? 'plain' : 'primary'}
            disabled={isPinned}
            onClick={() => onPin(memoryId)}
          >
            Pin this
          </ScopedButton>
          <Link to="/memories/$id" params={{ id: memoryId }} className="text-accent text-sm underline">
            Colophon
          </Link>
        </div>
      )}
    </article>
  )
}

type DecisionDialogProps = { readonly claim: Claim; readonly decision: Decision; readonly onClose: () => void }

function DecisionDialog({ claim, decision, onClose }: DecisionDialogProps) {
  const isUnpin = 'unpin' in decision
  return (
    <ReasonDialog
      title={isUnpin ? 'Remove the pin?' : 'Pin this content?'}
      description={
        isUnpin
          ? 'The content with the highest priority wins again.'
          : 'It is the winner until it is unpinned, whatever the priorities.'
      }
      action={isUnpin ? 'Unpin' : 'Pin'}
      decide={(reason) => api.claims.resolve(claim.id, { ...decision, reason })}
      onClose={onClose}
    />
  )
}
