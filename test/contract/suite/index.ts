import { describe, it } from 'node:test'
import { accessContract } from './access.ts'
import { adminContract } from './admin.ts'
import { auditContract } from './audit.ts'
import { capacitiesContract } from './capacities.ts'
import { changesContract } from './changes.ts'
import { claimFiltersContract } from './claim-filters.ts'
import { compactionsContract } from './compactions.ts'
import { deliveriesContract } from './deliveries.ts'
import { entriesContract } from './entries.ts'
import { erasuresContract } from './erasures.ts'
import { fencesContract } from './fences.ts'
import { filtersContract } from './filters.ts'
import { historyContract } from './history.ts'
import { idempotencyContract } from './idempotency.ts'
import { isolationContract } from './isolation.ts'
import { jobsContract } from './jobs.ts'
import { logContract } from './log.ts'
import { orphansContract } from './orphans.ts'
import { peopleContract } from './people.ts'
import { portableContract } from './portable.ts'
import { positionsContract } from './positions.ts'
import { sourceEventsContract } from './provenance.ts'
import { claimsContract } from './provenance-claims.ts'
import { entryHistoryContract } from './provenance-versions.ts'
import { refusalsContract } from './refusals.ts'
import { rewritesContract } from './rewrites.ts'
import { runJobsContract } from './run-jobs.ts'
import { runRacesContract } from './run-races.ts'
import { runViewContract } from './run-view.ts'
import { runsContract } from './runs.ts'
import { schedulesContract } from './schedules.ts'
import { searchContract } from './search.ts'
import { searchFiltersContract } from './search-filters.ts'
import { statsContract } from './stats.ts'
import { vectorsContract } from './vectors.ts'
import { type ContractTest, type StorageContract, withWorld } from './world.ts'

export type { OpenedStorage, StorageContract } from './world.ts'

const areas: Readonly<Record<string, (test: ContractTest) => void>> = {
  entries: entriesContract,
  refusals: refusalsContract,
  positions: positionsContract,
  isolation: isolationContract,
  'run view': runViewContract,
  access: accessContract,
  idempotency: idempotencyContract,
  audit: auditContract,
  log: logContract,
  people: peopleContract,
  changes: changesContract,
  jobs: jobsContract,
  schedules: schedulesContract,
  deliveries: deliveriesContract,
  administration: adminContract,
  capacities: capacitiesContract,
  rewrites: rewritesContract,
  erasures: erasuresContract,
  history: historyContract,
  fences: fencesContract,
  orphans: orphansContract,
  runs: runsContract,
  'concurrent runs': runRacesContract,
  'jobs of runs': runJobsContract,
  'source events': sourceEventsContract,
  claims: claimsContract,
  'entry history': entryHistoryContract,
  compactions: compactionsContract,
  search: searchContract,
  'search filters': searchFiltersContract,
  filters: filtersContract,
  'filters of claims': claimFiltersContract,
  vectors: vectorsContract,
  stats: statsContract,
  'export and import': portableContract,
}

/**
 * The definition of the storage port as tests, for `node --test`. A store is a Colophon store when it passes:
 *
 *     describeStorageContract('my store', { open: ({ now }) => openMyStoreForTest(now) })
 *
 * `only`: these areas, for a store that was opened in another way.
 */
export function describeStorageContract(name: string, contract: StorageContract, only?: readonly string[]): void {
  for (const [area, register] of Object.entries(areas)) {
    if (only !== undefined && !only.includes(area)) continue
    describe(`${name}: ${area}`, () => {
      register((title, body, needs) => {
        const reason = contract.skip?.[title] ?? (needs?.sql ? contract.withoutSql : undefined)
        it(title, reason === undefined ? {} : { skip: reason }, () => withWorld(contract, body))
      })
    })
  }
}
