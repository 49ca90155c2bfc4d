import { Link, Navigate } from '@tanstack/react-router'
import { useAddress } from '../../app/use-address.ts'
import { ScreenTitle } from '../../ui/panel.tsx'
import { AsOfBar } from './as-of-bar.tsx'
import { FeedFilters } from './feed-filters.tsx'
import { MemoryFeed } from './memory-feed.tsx'
import { RefList } from './ref-list.tsx'
import { SearchResults } from './search-results.tsx'

/** Refs and people on the left. On the right a table of everything, or of one ref. Each memory has a page of its own. */
export function MemoriesScreen() {
  const [search] = useAddress()
  // Earlier versions of the console showed a memory in a drawer of this screen.
  if (search.entry !== undefined) return <Navigate to="/memories/$id" params={{ id: search.entry }} replace />
  return (
    <div className="flex h-full min-h-[32rem] flex-col">
      <ScreenTitle title="Memories" actions={<CompareLink />}>
        Memories and their sources.
      </ScreenTitle>
      <div className="grid min-h-0 flex-1 gap-4 lg:grid-cols-[18rem_1fr]">
        <RefList />
        <div className="flex min-h-[36rem] min-w-0 flex-col lg:min-h-80 rounded-lg border border-line bg-raised">
          <FeedFilters />
          <AsOfBar />
          {search.ref !== undefined && search.q !== undefined && search.status === undefined ? (
            <SearchResults memoryRef={search.ref} query={search.q} />
          ) : (
            <MemoryFeed key={search.ref} memoryRef={search.ref} />
          )}
        </div>
      </div>
    </div>
  )
}

/** What became of the shown memories since another moment. */
function CompareLink() {
  const [{ ref }] = useAddress()
  const subject = ref?.startsWith('subject:') === true ? ref.slice('subject:'.length) : undefined
  return (
    <span className="flex flex-wrap gap-2">
      {subject !== undefined && (
        <Link
          to="/subjects/$subject"
          params={{ subject }}
          className="rounded-md border border-line bg-raised px-3 py-1.5 font-medium text-sm hover:bg-sunken"
        >
          Over time
        </Link>
      )}
      <Link
        to="/compare"
        search={subject === undefined ? { ref } : { subject }}
        className="rounded-md border border-line bg-raised px-3 py-1.5 font-medium text-sm hover:bg-sunken"
      >
        Compare two moments
      </Link>
    </span>
  )
}
