// Prunes history as if it were much later, and reports every step.

import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { pruneHistory } from '../../src/app/retention/prune-history.ts'
import { composeEngine, type OpenOptions, openStorage } from '../../src/open.ts'
import { programOptions, report, stopped } from '../support/child-program.ts'

const { open, now, tenant } = programOptions<{ open: OpenOptions; now: number; tenant: string }>()
const storage = await openStorage(open, () => now)
const { engine, close } = composeEngine(
  storage,
  nodeSystem(() => now),
  'test',
  null,
)
const pruned = await pruneHistory(engine.tenant(tenant), {
  signal: stopped,
  onProgress: (counts) => report(counts),
})
report({ finished: pruned })
await close()
