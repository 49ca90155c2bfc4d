import { after } from 'node:test'
import { endChildren } from '../support/child.ts'
import { killTest } from './kill.ts'

after(endChildren)

killTest('sqlite')
