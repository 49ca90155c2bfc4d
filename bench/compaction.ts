// The latency of puts during a compaction: node bench/compaction.ts [entries] [writers] [quiet ms]

import { compactRef } from '../src/app/compaction/compaction-pass.ts'
import { planOfRequest } from '../src/app/compaction/compaction-plan.ts'
import { defaultCompactionPolicy } from '../src/core/compaction/policy.ts'
import { benchPutsBeside, longRef as memoryRef } from './puts-beside.ts'

const [entries = 100_000, writers = 4, quietMs = 10_000] = process.argv.slice(2).map(Number)

await benchPutsBeside({
  ...{ entries, writers, quietMs },
  work(tenant) {
    const order = planOfRequest({ memoryRef }, defaultCompactionPolicy, Date.now())
    const signal = new AbortController().signal
    return compactRef(tenant, order, { actor: 'bench', trigger: 'client-requested', signal })
  },
  report: ({ sources, compactions }) => `${sources} entries became ${compactions}`,
})
