import { Link } from '@tanstack/react-router'
import type { EntryColophon } from '../../../../src/client/index.ts'
import { Named } from '../../app/names.tsx'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Panel } from '../../ui/panel.tsx'
import { Time } from '../../ui/time.tsx'

type Resolution = NonNullable<EntryColophon['resolution']>
type Content = Resolution['own']
type Rule = Resolution['rules'][number]

const questions: Readonly<Record<Rule['rule'], string>> = {
  pin: 'Pinned by a person',
  trust: 'Trust class',
  priority: 'Priority of the writer',
  observed: 'Observed later',
  confidence: 'Confidence',
  order: 'Order of names',
}

/** Each rule in order, and the one that decided. */
export function DecisionPanel({ resolution }: { readonly resolution: Resolution | undefined }) {
  return (
    <Panel title="What decided">
      <div className="p-4">
        {resolution === undefined && <p>No claim: nothing else can contradict it.</p>}
        {resolution !== undefined && resolution.rules.length === 0 && (
          <p>{resolution.rival === null ? 'Nothing contradicts it.' : 'What decided then is no longer known.'}</p>
        )}
        {resolution?.pin && (
          <p className="mb-3 break-words">
            <Badge tone="accent">pin</Badge> <Named text={resolution.pin.actor} />, <Time at={resolution.pin.at} />:{' '}
            {resolution.pin.reason}
          </p>
        )}
        {resolution !== undefined && resolution.rules.length > 0 && (
          <ol aria-label="Rules" className="divide-y divide-line">
            {resolution.rules.map((rule) => (
              <RuleRow key={rule.rule} rule={rule} />
            ))}
          </ol>
        )}
        {resolution !== undefined && (
          <p className="mt-3">
            <Link to="/claims" search={{ claim: resolution.claimId }} className="text-accent underline">
              Open the claim{resolution.claimKey === null ? '' : ` ${resolution.claimKey}`}
            </Link>{' '}
            {resolution.isContested && <Badge tone="warn">contested</Badge>}
          </p>
        )}
      </div>
    </Panel>
  )
}

function RuleRow({ rule: { rule, winner, loser, result } }: { readonly rule: Rule }) {
  const isDecisive = result === 'decided'
  const shown = (value: string) => (rule === 'observed' ? <Time at={value} /> : value)
  return (
    <li
      data-result={result}
      className={classNames('grid grid-cols-[1fr_auto] gap-x-3 py-2', result === 'not needed' && 'text-muted')}
    >
      <span className={isDecisive ? 'font-medium' : ''}>{questions[rule]}</span>
      <Badge tone={isDecisive ? 'good' : 'neutral'}>{result}</Badge>
      {result !== 'not needed' && (
        <span className="col-span-2 text-xs break-words">
          {isDecisive ? (
            <>
              {shown(winner)} <span className="text-muted">over</span> {shown(loser)}
            </>
          ) : (
            <span className="text-muted">
              {winner === loser ? shown(winner) : `${winner} and ${loser}, both at or above the floor`}
            </span>
          )}
        </span>
      )}
    </li>
  )
}

/** What lost, struck through, with its source; of a loser also what won. */
export function RivalsPanel({ resolution }: { readonly resolution: Resolution | undefined }) {
  const isOwn = (content: Content) =>
    resolution !== undefined && content.memoryId === resolution.own.memoryId && content.memoryId !== null
  const losers = resolution?.losers.filter((content) => resolution.isCurrent || !isOwn(content)) ?? []
  const more = (resolution?.loserCount ?? 0) - (resolution?.losers.length ?? 0)
  return (
    <Panel title={resolution?.isCurrent === false ? 'What won instead' : 'What lost'}>
      <div className="space-y-3 p-4">
        {resolution?.isCurrent === false && resolution.rival !== null && <Rival content={resolution.rival} isWinner />}
        {losers.map((content) => (
          <Rival key={content.memoryId ?? content.content} content={content} />
        ))}
        {losers.length === 0 && resolution?.isCurrent !== false && <p className="text-muted">Nothing was overruled.</p>}
        {more > 0 && <p className="text-muted">{more} more in the claim.</p>}
      </div>
    </Panel>
  )
}

function Rival({ content, isWinner = false }: { readonly content: Content; readonly isWinner?: boolean }) {
  const text = <span className="line-clamp-4 break-words">{content.content}</span>
  const link =
    content.memoryId === null ? (
      text
    ) : (
      <Link to="/memories/$id" params={{ id: content.memoryId }} className="hover:underline">
        {text}
      </Link>
    )
  return (
    <article className={classNames('rounded-md border p-3', isWinner ? 'border-good' : 'border-line')}>
      <p className="font-serif">{isWinner ? link : <s className="text-muted">{link}</s>}</p>
      <p className="mt-2 flex flex-wrap items-center gap-1.5 text-muted text-xs">
        <Badge tone={isWinner ? 'good' : 'neutral'}>
          {content.source} ({content.priority})
        </Badge>
        <Time at={content.observedAt} />
      </p>
    </article>
  )
}
