// The latency of puts during a consolidation: node bench/consolidation.ts [entries] [writers] [quiet ms]

import { consolidateRef } from '../src/app/consolidation/consolidation-pass.ts'
import { benchPutsBeside, longRef, uniqueDraft } from './puts-beside.ts'

const [entries = 100_000, writers = 4, quietMs = 10_000] = process.argv.slice(2).map(Number)

await benchPutsBeside({
  ...{ entries, writers, quietMs },
  // Every tenth repeats an earlier one.
  draftOf: (n) => uniqueDraft(n % 10 === 9 ? n - 9 : n),
  work: (tenant) =>
    consolidateRef(tenant, longRef, { actor: 'bench', trigger: 'on-demand', signal: new AbortController().signal }),
  report: ({ inputCount, outputCount }) => `${inputCount} entries became ${outputCount}`,
})
