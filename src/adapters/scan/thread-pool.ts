import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { ScanResult } from '../../core/redaction/deferring-scanner.ts'
import { ruleBudgetExceeded } from '../../core/redaction/operator-rules.ts'
import type { ScanRules } from '../../core/redaction/tenant-scanners.ts'
import type { ScanKind, ScanThreads } from '../../ports/scan-threads.ts'
import { scanInline } from './inline-scan.ts'
import type { ScanRequest, ScanResponse } from './worker-thread.ts'

/** One call of `scan`: its texts, and the results so far. */
type Call = {
  readonly tenantId: string
  readonly rules: ScanRules
  readonly kind: ScanKind
  readonly texts: readonly string[]
  readonly characters: number
  readonly scanned: ScanResult[]
  resolve(scanned: readonly ScanResult[]): void
  reject(error: Error): void
}

type Thread = {
  readonly worker: Worker
  /** The rules that the thread has cached, least recently used first. */
  readonly rules: Map<ScanRules, number>
  call: Call | null
  isReady: boolean
  idle: NodeJS.Timeout | undefined
}

/** A request contains one text, or several short ones of one call. After each request another tenant is served. */
const requestCharactersMax = 65_536
/** How many sets of rules and secrets a thread caches. */
const cachedRulesMax = 8
const idleMs = 30_000
/** Far more than scanning needs. Above it the thread ends, and not the process. */
const threadMemoryMb = 1_024

/**
 * A pool of threads that scan long texts. Threads start on demand and end when idle. Tenants are served round robin, and one
 * tenant uses at most one thread at a time, so that it cannot keep all of them busy.
 */
export function createScanThreads(threadsMax = Math.max(2, Math.min(4, availableParallelism()))): ScanThreads {
  return new ScanThreadPool(threadsMax)
}

class ScanThreadPool implements ScanThreads {
  readonly #threadsMax: number
  readonly #threads = new Set<Thread>()
  /** A queue of calls per tenant; the tenants in round-robin order. */
  readonly #waiting = new Map<string, Call[]>()
  #characters = 0
  #lastId = 0
  #isClosed = false
  /** A program that was bundled into one file has no thread file to start. */
  #isWithoutThreads = false

  constructor(threadsMax: number) {
    this.#threadsMax = threadsMax
  }

  scan(tenantId: string, rules: ScanRules, kind: ScanKind, texts: readonly string[]): Promise<readonly ScanResult[]> {
    if (this.#isClosed) return Promise.reject(closed())
    if (this.#isWithoutThreads) return scanInline(rules, kind, texts)
    const characters = texts.reduce((sum, text) => sum + text.length, 0)
    const calls = this.#waiting.get(tenantId) ?? []
    const ofTenant = calls.reduce((sum, call) => sum + call.characters, 0)
    const isOverloaded =
      (calls.length > 0 && ofTenant + characters > limits.scanQueuePerTenantCharactersMax) ||
      this.#characters + characters > limits.scanQueueCharactersMax
    if (isOverloaded)
      return Promise.reject(
        new ColophonError('overloaded', 'Too many long texts are queued for scanning; retry later.'),
      )
    return new Promise((resolve, reject) => {
      this.#characters += characters
      calls.push({ tenantId, rules, kind, texts, characters, scanned: [], resolve, reject })
      this.#waiting.set(tenantId, calls)
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const call of [...this.#waiting.values()].flat()) this.#settle(call, (one) => one.reject(closed()))
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #dispatch(): void {
    const busy = new Set([...this.#threads].map(({ call }) => call?.tenantId))
    for (const [tenantId, [call]] of this.#waiting) {
      if (call === undefined || busy.has(tenantId)) continue
      const thread = this.#freeThread(call.rules)
      if (thread === null) return
      this.#send(thread, call)
    }
  }

  /** An idle thread, preferably one that has cached the rules; else a new one, if the limit allows it. */
  #freeThread(rules: ScanRules): Thread | null {
    const free = [...this.#threads].filter(({ call }) => call === null)
    const found = free.find((thread) => thread.rules.has(rules)) ?? free[0]
    if (found !== undefined) return found
    return this.#threads.size < this.#threadsMax ? this.#start() : null
  }

  #send(thread: Thread, call: Call): void {
    clearTimeout(thread.idle)
    thread.call = call
    // A thread keeps the process alive only while a call waits for it.
    thread.worker.ref()
    const from = call.scanned.length
    let to = from + 1
    let characters = call.texts[from]?.length ?? 0
    for (; to < call.texts.length; to++) {
      characters += call.texts[to]?.length ?? 0
      if (characters > requestCharactersMax) break
    }
    const request = { ...this.#rulesFor(thread, call.rules), kind: call.kind, texts: call.texts.slice(from, to) }
    thread.worker.postMessage(request satisfies ScanRequest)
  }

  /** Sends rules to a thread only once, and evicts the least recently used ones. */
  #rulesFor(thread: Thread, rules: ScanRules): Pick<ScanRequest, 'rulesId' | 'rules' | 'drop'> {
    const known = thread.rules.get(rules)
    const rulesId = known ?? ++this.#lastId
    thread.rules.delete(rules)
    thread.rules.set(rules, rulesId)
    if (known !== undefined) return { rulesId }
    const [oldest] = thread.rules
    if (thread.rules.size <= cachedRulesMax || oldest === undefined) return { rulesId, rules }
    thread.rules.delete(oldest[0])
    return { rulesId, rules, drop: oldest[1] }
  }

  #start(): Thread {
    const file = import.meta.url.endsWith('.ts') ? './worker-thread.ts' : './worker-thread.js'
    const worker = new Worker(new URL(file, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: threadMemoryMb },
    })
    const thread: Thread = { worker, rules: new Map(), call: null, isReady: false, idle: undefined }
    this.#threads.add(thread)
    worker.on('message', (message: ScanResponse | 'ready') => {
      if (message === 'ready') thread.isReady = true
      else this.#receive(thread, message)
    })
    worker.on('error', () => this.#onExit(thread))
    worker.on('exit', () => this.#onExit(thread))
    return thread
  }

  #receive(thread: Thread, { scanned, code }: ScanResponse): void {
    const { call } = thread
    thread.call = null
    thread.worker.unref()
    thread.idle = setTimeout(() => void thread.worker.terminate(), idleMs).unref()
    // Null when the call was settled in the meantime.
    if (call !== null && scanned !== undefined && !this.#isClosed) {
      call.scanned.push(...scanned)
      if (call.scanned.length === call.texts.length) this.#settle(call, () => call.resolve(call.scanned))
      else this.#moveToBack(call.tenantId)
    } else if (call !== null) {
      // It may have failed while it compiled the rules.
      thread.rules.delete(call.rules)
      this.#settle(call, () => call.reject(scanError(code)))
    }
    this.#dispatch()
  }

  /** The next request is served from another tenant's queue. */
  #moveToBack(tenantId: string): void {
    const calls = this.#waiting.get(tenantId)
    if (calls === undefined) return
    this.#waiting.delete(tenantId)
    this.#waiting.set(tenantId, calls)
  }

  #settle(call: Call, settle: (call: Call) => void): void {
    const calls = this.#waiting.get(call.tenantId) ?? []
    const left = calls.filter((other) => other !== call)
    if (left.length === calls.length) return
    this.#characters -= call.characters
    this.#waiting.delete(call.tenantId)
    if (left.length > 0) this.#waiting.set(call.tenantId, left)
    settle(call)
  }

  /** A thread that ended fails only the call it was working on, which may have caused the end. */
  #onExit(thread: Thread): void {
    if (!this.#threads.delete(thread)) return
    clearTimeout(thread.idle)
    if (this.#isClosed) return
    // The thread never started, so this process cannot start threads.
    if (!thread.isReady) {
      this.#isWithoutThreads = true
      for (const call of [...this.#waiting.values()].flat())
        this.#settle(call, ({ rules, kind, texts, resolve, reject }) => {
          void scanInline(rules, kind, texts).then(resolve, reject)
        })
      return
    }
    if (thread.call !== null) this.#settle(thread.call, ({ reject }) => reject(scanError('overloaded')))
    this.#dispatch()
  }
}

function closed(): ColophonError {
  return new ColophonError('closed', 'This instance is closed.')
}

function scanError(code: string | undefined): ColophonError {
  if (code === 'redaction_budget_exceeded') return ruleBudgetExceeded()
  if (code === 'overloaded') return new ColophonError('overloaded', 'A long text could not be scanned for secrets.')
  return new ColophonError('internal_error', 'A text could not be scanned for secrets.')
}
