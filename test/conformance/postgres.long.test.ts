import { after } from 'node:test'
import { allScenarios } from '../../conformance/registry.ts'
import { releaseServer } from '../support/databases.ts'
import { isThorough } from '../support/thorough.ts'
import { onEveryStorage } from './inapplicable.ts'
import { describeConformance } from './suite.ts'

after(releaseServer)

/** Both stores pass the same contract, so `npm test` runs those of version 2 that touch the most, and `npm run test:all` all. */
const smoke = ['v2-poll-cursor-v2', 'v2-run-list', 'v2-run-fork-prefix', 'v2-memory-cross-tenant-isolation']
const scenarios = allScenarios.filter(({ id, wire }) => isThorough || wire !== 2 || smoke.includes(id))

describeConformance('postgres', onEveryStorage, scenarios)
