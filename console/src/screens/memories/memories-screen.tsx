import { useAddress } from '../../app/use-address.ts'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Empty } from '../../ui/states.tsx'
import { AsOfBar } from './as-of-bar.tsx'
import { EntryDrawer } from './entry-drawer.tsx'
import { EntryList } from './entry-list.tsx'
import { FilterBar } from './filter-bar.tsx'
import { RefList } from './ref-list.tsx'
import { SearchResults } from './search-results.tsx'

/** Refs at the left, what they hold at the right, and the whole story of one entry in a drawer. */
export function MemoriesScreen() {
  const [search] = useAddress()
  return (
    <div className="flex h-full min-h-[32rem] flex-col">
      <ScreenTitle title="Memories">What is remembered, and who told it.</ScreenTitle>
      <div className="grid min-h-0 flex-1 gap-4 lg:grid-cols-[18rem_1fr]">
        <RefList />
        <div className="flex min-h-80 min-w-0 flex-col rounded-lg border border-line bg-raised">
          <FilterBar />
          {search.ref === undefined ? (
            <Empty title="Choose a memory ref">
              Every ref is a place of its own: an agent’s notes, a workflow’s summaries, or everything about one
              subject.
            </Empty>
          ) : (
            <>
              <AsOfBar memoryRef={search.ref} />
              {search.q === undefined ? (
                <EntryList memoryRef={search.ref} />
              ) : (
                <SearchResults memoryRef={search.ref} query={search.q} />
              )}
            </>
          )}
        </div>
      </div>
      {search.entry !== undefined && <EntryDrawer entryId={search.entry} />}
    </div>
  )
}
