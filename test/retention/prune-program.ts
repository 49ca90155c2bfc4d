// Cuts history as if it were much later, and tells of every step.
import { nodeSystem } from '../../src/adapters/system/node.ts'
import { pruneHistory } from '../../src/app/retention/prune-history.ts'
import { composeDeps, type OpenOptions, openStorage } from '../../src/open.ts'
import { programOptions, report, stopped } from '../support/child-program.ts'

const { open, now, tenant } = programOptions<{ open: OpenOptions; now: number; tenant: string }>()
const storage = await openStorage(open, () => now)
const { deps, close } = composeDeps(
  storage,
  nodeSystem(() => now),
  'test',
  null,
)
const pruned = await pruneHistory(deps, tenant, { signal: stopped, onProgress: (counts) => report(counts) })
report({ finished: pruned })
await close()
