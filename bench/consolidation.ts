// The latency of puts during a consolidation: node bench/consolidation.ts [entries] [writers] [quiet ms]

import { consolidationBeside } from './long-passes.ts'
import { benchPutsBeside } from './puts-beside.ts'

const [entries = 100_000, writers = 4, quietMs = 10_000] = process.argv.slice(2).map(Number)

await benchPutsBeside(consolidationBeside({ entries, writers, quietMs }))
