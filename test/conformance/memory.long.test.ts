import { onEveryStorage, withoutDurability } from './inapplicable.ts'
import { describeConformance } from './suite.ts'

describeConformance('memory', { ...onEveryStorage, ...withoutDurability })
