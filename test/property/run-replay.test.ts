import { after } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { replaysRepeat } from './run-properties.ts'
import { onStores } from './run-stores.ts'

after(releaseServer)

onStores(
  'a replay repeats its source and changes nothing',
  { model: 120, sqlite: 18, postgres: 6 },
  { forksMax: 4 },
  replaysRepeat,
)
