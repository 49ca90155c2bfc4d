import { after } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { branchesGoOn, branchesOfLiveRunsGoOn } from './run-properties.ts'
import { onStores } from './run-stores.ts'

after(releaseServer)

onStores(
  'a branch goes on from what its source saw',
  { model: 150, sqlite: 20, postgres: 8 },
  { forksMax: 4 },
  branchesGoOn,
)

onStores(
  'a branch of a run under way goes on beside it',
  { model: 100, sqlite: 12, postgres: 5 },
  { forksMax: 4 },
  branchesOfLiveRunsGoOn,
)
