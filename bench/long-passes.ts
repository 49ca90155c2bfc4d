import { consolidateRef } from '../src/app/consolidation/consolidation-pass.ts'
import { distillRef } from '../src/app/distillation/distill-ref.ts'
import type { Tenant } from '../src/app/tenant.ts'
import { limits } from '../src/core/limits.ts'
import { longRef, type PutsBeside, ratioOfPutsBeside, uniqueDraft } from './puts-beside.ts'
import type { Recorder } from './recorder.ts'

/** How many entries the ref has, how many write beside the pass, and how long they are timed without it. */
type Size = { readonly entries: number; readonly writers: number; readonly quietMs: number }

/** A consolidation of one ref. Every tenth entry repeats an earlier one. */
export function consolidationBeside(size: Size): PutsBeside<Awaited<ReturnType<typeof consolidateRef>>> {
  return {
    ...size,
    draftOf: (n) => uniqueDraft(n % 10 === 9 ? n - 9 : n),
    work: (tenant) =>
      consolidateRef(tenant, longRef, { actor: 'bench', trigger: 'on-demand', signal: new AbortController().signal }),
    report: ({ inputCount, outputCount }) => `${inputCount} entries became ${outputCount}`,
  }
}

/** Distillations of one ref, one after the other. */
export function distillationBeside(size: Size): PutsBeside<number> {
  return {
    ...size,
    work: (tenant) => distill(tenant, size.quietMs),
    report: (made) => `${made} distillations of ${size.entries} entries`,
  }
}

/** Distills time and again. Another budget each time, so that an archive is made each time. */
async function distill(tenant: Tenant, forMs: number): Promise<number> {
  const until = performance.now() + forMs
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

/** What the long passes over one ref cost puts in the same process. */
export async function benchLongPasses(recorder: Recorder, isQuick: boolean): Promise<void> {
  const size = { writers: 4, quietMs: isQuick ? 500 : 5_000 }
  const consolidated = isQuick ? 1_000 : 100_000
  if (recorder.wants('besideConsolidation')) {
    const ratio = await ratioOfPutsBeside(consolidationBeside({ ...size, entries: consolidated }))
    recorder.note('besideConsolidation', [ratio], consolidated)
  }
  const distilled = isQuick ? 1_000 : 10_000
  if (recorder.wants('besideDistillation')) {
    const ratio = await ratioOfPutsBeside(distillationBeside({ ...size, entries: distilled }))
    recorder.note('besideDistillation', [ratio], distilled)
  }
}
