import { Link } from '@tanstack/react-router'
import { useConnection, useRecentChanges } from '../../app/live.ts'
import { Badge } from '../../ui/badge.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

const shown = 12

/** The newest changes from the change stream: refs and ids, no contents. */
export function LiveActivity() {
  const changes = useRecentChanges()
  const connection = useConnection()
  if (changes.length === 0) {
    return (
      <Empty title={connection === 'open' ? 'Listening …' : 'Not connected.'}>
        Changes appear here as they happen.
      </Empty>
    )
  }
  return (
    <ol aria-label="Live changes" className="divide-y divide-line">
      {changes.slice(0, shown).map(({ position, at, kind, memoryRef, entryIds }) => (
        <li
          key={`${position} ${kind} ${memoryRef} ${entryIds[0]}`}
          className="flex flex-wrap items-center gap-2 px-4 py-1.5"
        >
          <Badge tone="accent">{kind}</Badge>
          <Link to="/memories" search={{ ref: memoryRef }} className="min-w-0 truncate underline">
            {memoryRef}
          </Link>
          <span className="text-muted text-xs">
            {entryIds.length > 1 && `${entryIds.length} entries, `}
            <Time at={at} short />
          </span>
        </li>
      ))}
    </ol>
  )
}
