import { after } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { forksOfWhatIsGoneAreRefused } from './run-deleted-data.ts'
import { onStores } from './run-stores.ts'

after(releaseServer)

onStores(
  'a fork of what is gone is refused',
  { model: 40, sqlite: 20, postgres: 6 },
  { forksMax: 4 },
  forksOfWhatIsGoneAreRefused,
)
