import { after } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { onEveryStorage } from './inapplicable.ts'
import { describeConformance } from './suite.ts'

after(releaseServer)

describeConformance('postgres', onEveryStorage)
