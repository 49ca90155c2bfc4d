import { Link } from '@tanstack/react-router'
import { Identifier } from '../../ui/identifier.tsx'

type SourceLinksProps = { readonly count: number; readonly ids: readonly string[]; readonly runId: string | null }

/** The entries that something was made of, and the run that made it. */
export function SourceLinks({ count, ids, runId }: SourceLinksProps) {
  return (
    <>
      <h3 className="mb-1 font-serif">Sources: {count} entries</h3>
      <ul className="mb-4 flex flex-wrap gap-2">
        {ids.map((source) => (
          <li key={source}>
            <Link
              to="/memories/$id"
              params={{ id: source }}
              aria-label={`Open ${source}`}
              className="text-accent text-xs underline"
            >
              open
            </Link>{' '}
            <Identifier value={source} />
          </li>
        ))}
      </ul>
      {runId !== null && (
        <Link to="/runs/$runId" params={{ runId }} className="text-accent underline">
          The maintenance run
        </Link>
      )}
    </>
  )
}
