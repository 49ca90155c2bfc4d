import { after } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { readsAreAsPredicted, runsAreThoseOfTheModel } from './run-properties.ts'
import { onStores } from './run-stores.ts'

after(releaseServer)

onStores('every read gives what the model says', { model: 200, sqlite: 30, postgres: 10 }, {}, readsAreAsPredicted)

onStores('every run is what it is in the model', { sqlite: 20, postgres: 8 }, {}, runsAreThoseOfTheModel)
