import type { Ledger } from './ledger.ts'
import { type Answer, type Call, entriesPath } from './wire.ts'

const host = '/v1/host/colophon'

type Expect = (call: Call, status: number) => Promise<Answer | null>
type Marked = { readonly mark: string }

/** Commitments, distillations and consolidations: each has a ref of its own, so that its result is known. */
export function memoryJobDoers(expect: Expect, ledger: Ledger) {
  const post = (path: string, body: object, idempotencyKey: string, status: number) =>
    expect({ method: 'POST', path, body, idempotencyKey }, status)
  const putAll = (ref: string, contents: readonly string[], key: string) =>
    post(`${entriesPath(ref)}:batch`, { entries: contents.map((content) => ({ content })) }, `${key}-entries`, 201)
  return {
    /** A condition, and then the entry that makes it true. */
    async promise({ mark }: Marked, key: string) {
      const memoryRef = `promises/${mark}`
      const draft = { memoryRef, intention: `call about ${mark}`, statement: `the parcel ${mark} is delivered` }
      const made = await post(`${host}/commitments`, draft, key, 201)
      if (!made || !(await putAll(memoryRef, [`The parcel ${mark} was delivered.`], key))) return false
      ledger.promises.add(made.body.id)
      return true
    },
    async distill({ mark }: Marked, key: string) {
      const memoryRef = `archives/${mark}`
      const contents = ['tea', 'train', 'lamp'].map((word) => `Parcel ${mark} has a ${word}.`)
      if (!(await putAll(memoryRef, contents, key))) return false
      const started = await post(`${host}/distillations`, { memoryRef, tokenBudget: 2_000 }, key, 202)
      if (started) ledger.distilled.set(started.body.id, memoryRef)
      return started !== null
    },
    async consolidate({ mark }: Marked, key: string) {
      const memoryRef = `same/${mark}`
      if (!(await putAll(memoryRef, [`Parcel ${mark} is here.`, `parcel ${mark} is here!`], key))) return false
      const started = await post(`${host}/consolidations`, { memoryRef }, key, 202)
      if (started) ledger.consolidated.set(started.body.jobId, memoryRef)
      return started !== null
    },
  }
}
