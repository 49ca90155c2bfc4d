import { after } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { orderNeedsNoClock } from './run-properties.ts'
import { onStores } from './run-stores.ts'

after(releaseServer)

onStores(
  'the order is total and stable without a clock',
  { model: 60, sqlite: 15, postgres: 6 },
  { isFrozen: true },
  orderNeedsNoClock,
)
