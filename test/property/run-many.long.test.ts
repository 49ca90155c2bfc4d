import { after } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { forksOfWhatIsGoneAreRefused } from './run-deleted-data.ts'
import {
  branchesGoOn,
  branchesOfLiveRunsGoOn,
  orderNeedsNoClock,
  readsAreAsPredicted,
  replaysRepeat,
  runsAreThoseOfTheModel,
} from './run-properties.ts'
import { onStores } from './run-stores.ts'

/** The properties of the short files, on many more scenarios. */

after(releaseServer)

const forks = { forksMax: 6 }

onStores('many reads', { model: 4_000, sqlite: 600, postgres: 150 }, {}, readsAreAsPredicted)
onStores('many runs as in the model', { sqlite: 500, postgres: 120 }, {}, runsAreThoseOfTheModel)
onStores('many frozen clocks', { model: 1_500, sqlite: 300, postgres: 80 }, { isFrozen: true }, orderNeedsNoClock)
onStores('many replays', { model: 2_500, sqlite: 300, postgres: 80 }, forks, replaysRepeat)
onStores('many branches', { model: 2_500, sqlite: 300, postgres: 80 }, forks, branchesGoOn)
onStores('many branches of live runs', { model: 2_500, sqlite: 300, postgres: 80 }, forks, branchesOfLiveRunsGoOn)
onStores('many refusals', { model: 800, sqlite: 300, postgres: 80 }, forks, forksOfWhatIsGoneAreRefused)
