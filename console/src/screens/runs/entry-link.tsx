import { Link } from '@tanstack/react-router'
import { Identifier } from '../../ui/identifier.tsx'

/** An entry by its id. */
export function EntryLink({ id }: { readonly id: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      <Link to="/memories" search={{ entry: id }} className="text-accent text-xs underline" aria-label={`Open ${id}`}>
        open
      </Link>
      <Identifier value={id} />
    </span>
  )
}
