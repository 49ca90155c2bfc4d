import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Claim } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { SelectField } from '../../ui/field.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { ClaimSides } from './claim-sides.tsx'
import { Quarantine } from './quarantine.tsx'

const claimTones: Readonly<Record<Claim['status'], Tone>> = {
  contested: 'warn',
  pinned: 'accent',
  settled: 'good',
  open: 'neutral',
}

/** The claims on which sources of equal priority disagree. A filter shows all claims. */
export function ClaimsScreen() {
  const [search, change] = useAddress()
  const showsAll = search.show === 'all'
  return (
    <div className="flex h-full min-h-[32rem] flex-col">
      <ScreenTitle
        title="Claims"
        actions={
          <SelectField
            label="What to show"
            hideLabel
            value={search.show ?? ''}
            onChange={(event) => change({ show: event.target.value || undefined, claim: undefined })}
          >
            <option value="">need a decision</option>
            <option value="all">all claims</option>
            <option value="quarantine">quarantine</option>
          </SelectField>
        }
      >
        Claims on which sources disagree, and memories that a person has to release.
      </ScreenTitle>
      {search.show === 'quarantine' ? (
        <Quarantine />
      ) : (
        <div className="grid min-h-0 flex-1 gap-4 lg:grid-cols-[22rem_1fr]">
          <ClaimList showsAll={showsAll} chosen={search.claim} onChoose={(claim) => change({ claim })} />
          <div className="min-w-0 overflow-y-auto">
            {search.claim === undefined ? (
              <Empty title="Choose a claim to compare its contents." />
            ) : (
              <ChosenClaim claimId={search.claim} />
            )}
          </div>
        </div>
      )}
    </div>
  )
}

type ClaimListProps = {
  readonly showsAll: boolean
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

function ClaimList({ showsAll, chosen, onChoose }: ClaimListProps) {
  const pages = useInfiniteQuery({
    queryKey: ['live', 'claims', showsAll],
    queryFn: ({ pageParam, signal }) =>
      api.claims.list(
        { limit: 50, cursor: pageParam, ...(showsAll ? {} : { status: 'contested' as const }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const claims = pages.data?.pages.flatMap((page) => page.claims) ?? []
  return (
    <section
      aria-label="Claims"
      className="flex max-h-80 flex-col rounded-lg border border-line bg-raised lg:max-h-none"
    >
      <PagedList
        pages={pages}
        empty={
          <Empty title={showsAll ? 'There are no claims yet.' : 'No claim needs a decision.'}>
            {showsAll
              ? 'A claim is created when a source states something that another source can contradict.'
              : 'Sources agree, or one of them has a higher priority.'}
          </Empty>
        }
        className="min-h-0 flex-1"
        label="List of claims"
        items={claims}
        keyOf={({ id }) => id}
        rowHeight={64}
        render={(claim) => (
          <button
            type="button"
            aria-current={claim.id === chosen}
            onClick={() => onChoose(claim.id)}
            className={classNames(
              'w-full cursor-pointer px-3 py-2 text-left hover:bg-sunken',
              claim.id === chosen && 'bg-sunken',
            )}
          >
            <span className="block truncate font-medium">
              {claim.subject}: {claim.claimKey ?? claim.category}
            </span>
            <span className="mt-0.5 flex flex-wrap gap-1.5">
              <Badge tone={claimTones[claim.status]}>{claim.status}</Badge>
              <Badge>{claim.contents.length} contents</Badge>
            </span>
          </button>
        )}
      />
    </section>
  )
}

function ChosenClaim({ claimId }: { readonly claimId: string }) {
  const claim = useQuery({
    queryKey: ['live', 'claim', claimId],
    queryFn: ({ signal }) => api.claims.get(claimId, { signal }),
  })
  if (claim.isPending) return <Loading />
  if (hasFailed(claim)) return <Failure error={claim.error} onRetry={() => claim.refetch()} />
  return <ClaimSides claim={claim.data} />
}
