import { Link } from '@tanstack/react-router'
import { Identifier } from '../../ui/identifier.tsx'

type EntryLinkProps = {
  readonly id: string
  /** The position at which a run read it: the link opens what the run saw. */
  readonly asOf?: number
}

/** An entry by its id. */
export function EntryLink({ id, asOf }: EntryLinkProps) {
  return (
    <span className="inline-flex items-center gap-1">
      <Link
        to="/memories/$id"
        params={{ id }}
        search={asOf === undefined ? {} : { asOf: String(asOf) }}
        className="text-accent text-xs underline"
        aria-label={`Open ${id}`}
      >
        open
      </Link>
      <Identifier value={id} />
    </span>
  )
}
