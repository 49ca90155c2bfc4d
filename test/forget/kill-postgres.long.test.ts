import { after } from 'node:test'
import { endChildren } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { killTest } from './kill.ts'

after(releaseServer)
after(endChildren)

killTest('postgres')
