import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { TextField } from '../../ui/field.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'

/** The refs of the tenant with the number of entries. Entering a name opens that ref, also if it is not in the list. */
export function RefList() {
  const [search, change] = useAddress()
  const [wanted, setWanted] = useState('')
  const pages = useInfiniteQuery({
    queryKey: ['live', 'refs'],
    queryFn: ({ pageParam, signal }) => api.memory.refs({ limit: 200, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const refs = pages.data?.pages.flatMap((page) => page.refs) ?? []
  const matching = refs.filter(({ memoryRef }) => memoryRef.toLowerCase().includes(wanted.trim().toLowerCase()))
  const shown = grouped(matching)
  const open = (ref: string | undefined) => change({ ref, entry: undefined, tag: undefined, q: search.q })
  return (
    <section
      aria-label="Memory refs"
      className="flex h-64 flex-col rounded-lg border border-line bg-raised lg:h-auto lg:min-h-0"
    >
      <form
        className="border-line border-b p-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (wanted.trim() !== '') open(wanted.trim())
        }}
      >
        <TextField
          label="Find a ref or a subject"
          hideLabel
          placeholder="Find a ref or a subject"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
      </form>
      <PagedList
        pages={pages}
        empty={
          <Empty title={refs.length === 0 ? 'There are no memories yet.' : 'No ref matches.'}>
            {refs.length === 0 && (
              <code className="font-mono text-xs">
                npm run -s colophon -- --url {location.origin} put notes "the first memory"
              </code>
            )}
          </Empty>
        }
        className="min-h-0 flex-1"
        label="Refs"
        items={shown}
        keyOf={(item) => ('heading' in item ? item.heading : item.memoryRef)}
        rowHeight={52}
        render={(item) => ('heading' in item ? <GroupHeading group={item} /> : refButton(item))}
      />
      <div className="border-line border-t p-2">
        <Button small kind="quiet" aria-current={search.ref === undefined} onClick={() => open(undefined)}>
          Everything
        </Button>
      </div>
    </section>
  )

  function refButton({ memoryRef, entries, lastWriteAt }: Ref) {
    return (
      <button
        type="button"
        aria-current={memoryRef === search.ref}
        onClick={() => open(memoryRef)}
        className={classNames(
          'w-full cursor-pointer px-3 py-1.5 text-left hover:bg-sunken',
          memoryRef === search.ref && 'bg-sunken',
        )}
      >
        <span className="block truncate font-medium">{memoryRef}</span>
        <span className="block truncate text-muted text-xs">
          {/* The numbers are those of now. */}
          {search.asOf === undefined && (
            <>
              {entries.toLocaleString()} {entries === 1 ? 'entry' : 'entries'} · <Time at={lastWriteAt} short />
            </>
          )}
        </span>
      </button>
    )
  }
}

type Ref = { readonly memoryRef: string; readonly entries: number; readonly lastWriteAt: string }
type Group = { readonly heading: string; readonly entries: number; readonly refs: number }

/** People first, then other refs, each group with its counts. */
function grouped(refs: readonly Ref[]): readonly (Ref | Group)[] {
  const isPerson = ({ memoryRef }: Ref) => memoryRef.startsWith('subject:')
  return (
    [
      ['Subjects', refs.filter(isPerson)],
      ['Other refs', refs.filter((ref) => !isPerson(ref))],
    ] as const
  ).flatMap(([heading, ofGroup]) => {
    const entries = ofGroup.reduce((sum, ref) => sum + ref.entries, 0)
    return ofGroup.length === 0 ? [] : [{ heading, entries, refs: ofGroup.length }, ...ofGroup]
  })
}

function GroupHeading({ group: { heading, entries, refs } }: { readonly group: Group }) {
  return (
    <p className="bg-sunken px-3 py-1 text-muted text-xs">
      {heading} · {refs.toLocaleString()} with {entries.toLocaleString()} {entries === 1 ? 'entry' : 'entries'}
    </p>
  )
}
