import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Scanned } from '../../core/redaction/deferring-scanner.ts'
import { ruleBudgetSpent } from '../../core/redaction/operator-rules.ts'
import type { ScanRules } from '../../core/redaction/tenant-scanners.ts'
import type { ScanKind, ScanThreads } from '../../ports/scan-threads.ts'
import { scanInThisThread } from './in-this-thread.ts'
import type { ScanAnswer, ScanQuestion } from './thread.ts'

/** One call's texts: what is still to be sent, and what came back. */
type Call = {
  readonly tenantId: string
  readonly rules: ScanRules
  readonly kind: ScanKind
  readonly texts: readonly string[]
  readonly characters: number
  readonly scanned: Scanned[]
  resolve(scanned: readonly Scanned[]): void
  reject(error: Error): void
}

type Thread = {
  readonly worker: Worker
  /** Rules that the thread has at hand, the longest unused first. */
  readonly rules: Map<ScanRules, number>
  call: Call | null
  isReady: boolean
  idle: NodeJS.Timeout | undefined
}

/** A question is a single text or several short ones of one call: after each, another tenant has its turn. */
const questionCharactersMax = 65_536
/** Rules and secrets of so many tenants stay in a thread. */
const rulesKeptMax = 8
const idleMs = 30_000
/** Far more than scanning takes; beyond it the thread ends, not the process. */
const threadMemoryMb = 1_024

/**
 * Threads that scan long texts. They start when they are needed and end when they are not. One tenant has one of them at a
 * time, so that what it sends never keeps all of them busy.
 */
export function createScanThreads(threadsMax = Math.max(2, Math.min(4, availableParallelism()))): ScanThreads {
  return new Threads(threadsMax)
}

class Threads implements ScanThreads {
  readonly #threadsMax: number
  readonly #threads = new Set<Thread>()
  /** Calls by tenant; tenants in the order of their turns. */
  readonly #waiting = new Map<string, Call[]>()
  #characters = 0
  #lastId = 0
  #isClosed = false
  /** A program that was packed into one file has no thread to start. */
  #isWithoutThreads = false

  constructor(threadsMax: number) {
    this.#threadsMax = threadsMax
  }

  scan(tenantId: string, rules: ScanRules, kind: ScanKind, texts: readonly string[]): Promise<readonly Scanned[]> {
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#isWithoutThreads) return scanInThisThread(rules, kind, texts)
    const characters = texts.reduce((sum, text) => sum + text.length, 0)
    const calls = this.#waiting.get(tenantId) ?? []
    const ofTenant = calls.reduce((sum, call) => sum + call.characters, 0)
    const isTooMuch =
      (calls.length > 0 && ofTenant + characters > limits.scanQueuePerTenantCharactersMax) ||
      this.#characters + characters > limits.scanQueueCharactersMax
    if (isTooMuch) return Promise.reject(new ColophonError('overloaded', 'Too many long texts wait to be scanned.'))
    return new Promise((resolve, reject) => {
      this.#characters += characters
      calls.push({ tenantId, rules, kind, texts, characters, scanned: [], resolve, reject })
      this.#waiting.set(tenantId, calls)
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const call of [...this.#waiting.values()].flat()) this.#end(call, (one) => one.reject(closed()))
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #dispatch(): void {
    const busy = new Set([...this.#threads].map(({ call }) => call?.tenantId))
    for (const [tenantId, [call]] of this.#waiting) {
      if (call === undefined || busy.has(tenantId)) continue
      const thread = this.#freeThread(call.rules)
      if (thread === null) return
      this.#ask(thread, call)
    }
  }

  /** Best one that has the rules already. */
  #freeThread(rules: ScanRules): Thread | null {
    const free = [...this.#threads].filter(({ call }) => call === null)
    const found = free.find((thread) => thread.rules.has(rules)) ?? free[0]
    if (found !== undefined) return found
    return this.#threads.size < this.#threadsMax ? this.#start() : null
  }

  #ask(thread: Thread, call: Call): void {
    clearTimeout(thread.idle)
    thread.call = call
    // It keeps a process alive only while a call waits for it.
    thread.worker.ref()
    const from = call.scanned.length
    let to = from + 1
    let characters = call.texts[from]?.length ?? 0
    for (; to < call.texts.length; to++) {
      characters += call.texts[to]?.length ?? 0
      if (characters > questionCharactersMax) break
    }
    const question = { ...this.#handOver(thread, call.rules), kind: call.kind, texts: call.texts.slice(from, to) }
    thread.worker.postMessage(question satisfies ScanQuestion)
  }

  /** Rules go to a thread once. */
  #handOver(thread: Thread, rules: ScanRules): Pick<ScanQuestion, 'rulesId' | 'rules' | 'drop'> {
    const known = thread.rules.get(rules)
    const rulesId = known ?? ++this.#lastId
    thread.rules.delete(rules)
    thread.rules.set(rules, rulesId)
    if (known !== undefined) return { rulesId }
    const [oldest] = thread.rules
    if (thread.rules.size <= rulesKeptMax || oldest === undefined) return { rulesId, rules }
    thread.rules.delete(oldest[0])
    return { rulesId, rules, drop: oldest[1] }
  }

  #start(): Thread {
    const file = import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js'
    const worker = new Worker(new URL(file, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb },
    })
    const thread: Thread = { worker, rules: new Map(), call: null, isReady: false, idle: undefined }
    this.#threads.add(thread)
    worker.on('message', (said: ScanAnswer | 'ready') => {
      if (said === 'ready') thread.isReady = true
      else this.#take(thread, said)
    })
    worker.on('error', () => this.#lose(thread))
    worker.on('exit', () => this.#lose(thread))
    return thread
  }

  #take(thread: Thread, { scanned, code }: ScanAnswer): void {
    const { call } = thread
    thread.call = null
    thread.worker.unref()
    thread.idle = setTimeout(() => void thread.worker.terminate(), idleMs).unref()
    // Null when the call was ended meanwhile.
    if (call !== null && scanned !== undefined && !this.#isClosed) {
      call.scanned.push(...scanned)
      if (call.scanned.length === call.texts.length) this.#end(call, () => call.resolve(call.scanned))
      else this.#toTheEnd(call.tenantId)
    } else if (call !== null) {
      // It may have failed while it made them ready.
      thread.rules.delete(call.rules)
      this.#end(call, () => call.reject(problem(code)))
    }
    this.#dispatch()
  }

  /** The next turn is another tenant's. */
  #toTheEnd(tenantId: string): void {
    const calls = this.#waiting.get(tenantId)
    if (calls === undefined) return
    this.#waiting.delete(tenantId)
    this.#waiting.set(tenantId, calls)
  }

  #end(call: Call, settle: (call: Call) => void): void {
    const calls = this.#waiting.get(call.tenantId) ?? []
    const left = calls.filter((other) => other !== call)
    if (left.length === calls.length) return
    this.#characters -= call.characters
    this.#waiting.delete(call.tenantId)
    if (left.length > 0) this.#waiting.set(call.tenantId, left)
    settle(call)
  }

  /** A thread that is gone takes one call with it: the one that may have ended it. */
  #lose(thread: Thread): void {
    if (!this.#threads.delete(thread)) return
    clearTimeout(thread.idle)
    if (this.#isClosed) return
    // It never began, so there is none to start here.
    if (!thread.isReady) {
      this.#isWithoutThreads = true
      for (const call of [...this.#waiting.values()].flat())
        this.#end(call, ({ rules, kind, texts, resolve, reject }) => {
          void scanInThisThread(rules, kind, texts).then(resolve, reject)
        })
      return
    }
    if (thread.call !== null) this.#end(thread.call, ({ reject }) => reject(problem('overloaded')))
    this.#dispatch()
  }
}

function closed(): ColophonError {
  return new ColophonError('closed', 'This instance is closed.')
}

function problem(code: string | undefined): ColophonError {
  if (code === 'redaction_budget_exceeded') return ruleBudgetSpent()
  if (code === 'overloaded') return new ColophonError('overloaded', 'A long text could not be scanned for secrets.')
  return new ColophonError('internal_error', 'A text could not be scanned for secrets.')
}
