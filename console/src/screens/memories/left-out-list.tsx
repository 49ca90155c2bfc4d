import { Link } from '@tanstack/react-router'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Marked } from './marked-text.tsx'
import { type LeftOut, type Result, wordsOfReason } from './search-words.ts'

type LeftOutListProps = {
  readonly leftOut: readonly LeftOut[]
  /** The same search without a minimum, for the texts. */
  readonly found: readonly Result[]
}

/** Matches that are no results, by reason. */
export function LeftOutList({ leftOut, found }: LeftOutListProps) {
  const [, change] = useAddress()
  const byId = new Map(found.map((result) => [result.entry.id, result]))
  const groups = [...Map.groupBy(leftOut, ({ reason }) => reason)]
  return (
    <section aria-label="Left out" className="border-line border-t px-4 py-3">
      <h2 className="flex flex-wrap items-center gap-3 font-serif text-base">
        Left out: {leftOut.length}
        {groups.some(([reason]) => reason === 'below_relevance') && (
          <Button small onClick={() => change({ relevance: 'all' })}>
            Show results of every relevance
          </Button>
        )}
      </h2>
      {groups.map(([reason, items]) => (
        <div key={reason} className="mt-2">
          <h3 className="text-muted text-sm">
            {wordsOfReason(reason)} ({items.length})
          </h3>
          <ul className="mt-1 divide-y divide-line text-sm">
            {items.map(({ id, relevance }) => {
              const result = byId.get(id)
              return (
                <li key={id} className="flex items-start gap-3 py-1.5">
                  <Badge>{relevance.toFixed(2)}</Badge>
                  <Link to="/memories/$id" params={{ id }} className="min-w-0 flex-1 break-words hover:underline">
                    {result === undefined ? id : <Marked result={result} />}
                  </Link>
                </li>
              )
            })}
          </ul>
        </div>
      ))}
    </section>
  )
}
