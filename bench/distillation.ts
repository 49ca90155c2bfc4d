// The latency of puts during distillations: node bench/distillation.ts [entries] [writers] [quiet ms]

import { distillRef } from '../src/app/distillation/distill-ref.ts'
import type { Tenant } from '../src/app/tenant.ts'
import { limits } from '../src/core/limits.ts'
import { benchPutsBeside, longRef } from './puts-beside.ts'

const [entries = 10_000, writers = 4, quietMs = 10_000] = process.argv.slice(2).map(Number)

/** Distills time and again. Another budget each time, so that an archive is made each time. */
async function distill(tenant: Tenant): Promise<number> {
  const until = performance.now() + quietMs
  let made = 0
  while (made === 0 || performance.now() < until) {
    const request = {
      distillationId: tenant.system.newId('dst'),
      memoryRef: longRef,
      tokenBudget: limits.distillationTokenBudgetMax - made,
      actor: 'bench',
      signal: new AbortController().signal,
    }
    if ((await distillRef(tenant, request)) === null) throw new Error('nothing was distilled')
    made += 1
  }
  return made
}

await benchPutsBeside({
  ...{ entries, writers, quietMs },
  work: distill,
  report: (made) => `${made} distillations of ${entries} entries`,
})
