// The latency of puts during distillations: node bench/distillation.ts [entries] [writers] [quiet ms]

import { distillationBeside } from './long-passes.ts'
import { benchPutsBeside } from './puts-beside.ts'

const [entries = 10_000, writers = 4, quietMs = 10_000] = process.argv.slice(2).map(Number)

await benchPutsBeside(distillationBeside({ entries, writers, quietMs }))
