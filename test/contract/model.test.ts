import { openModel } from '../../src/adapters/model/open.ts'
import { describeStorageContract } from './suite/index.ts'

describeStorageContract('model', {
  open: async ({ now }) => ({ storage: openModel({ now }), dispose: async () => {} }),
  withoutSql: 'the model has no SQL',
})
