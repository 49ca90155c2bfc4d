import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { describeStorageContract } from './suite/index.ts'

describeStorageContract('model', {
  open: async ({ now }) => ({ storage: openInMemoryStore({ now }), dispose: async () => {} }),
  withoutSql: 'the model has no SQL',
})
