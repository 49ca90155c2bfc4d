import { onEveryStorage } from './inapplicable.ts'
import { describeConformance } from './suite.ts'

describeConformance('sqlite', onEveryStorage)
