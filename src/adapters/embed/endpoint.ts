import { ColophonError } from '../../core/errors.ts'
import type { Embedder } from '../../ports/embedder.ts'
import { isSuccess, type ModelOptions, postToModel, statusError, toModelHttpOptions } from '../model-api/model-http.ts'

/** Enough for 64 vectors of 16,000 numbers each, as JSON. */
const responseBytesMax = 33_554_432
const textsMax = 64

const responseOptions = { failed: 'embedding_failed', bytesMax: responseBytesMax } as const

/** An embedder over HTTP: a server with an OpenAI-compatible embeddings API. */
export function createEndpointEmbedder(options: ModelOptions): Embedder {
  const http = toModelHttpOptions(options, 'embeddings')
  const { model } = http
  return {
    model,
    textsMax,
    async embed(texts, signal) {
      const request = JSON.stringify({ model, input: texts, encoding_format: 'float' })
      const { status, body } = await postToModel(http, request, signal, responseOptions)
      if (!isSuccess(status)) throw statusError(status, 'embedding_failed')
      return toVectors(body, texts.length)
    },
    async close() {},
  }
}

type Item = { readonly index?: unknown; readonly embedding?: unknown }

function toVectors(body: string, count: number): number[][] {
  const items = parse(body)
  if (!Array.isArray(items) || items.length !== count) throw unusable()
  const vectors: (number[] | undefined)[] = Array.from({ length: count })
  items.forEach((item: Item | null, at) => {
    const index = item?.index ?? at
    const embedding = item?.embedding
    const isVector = Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite)
    if (typeof index !== 'number' || !isVector) throw unusable()
    vectors[index] = embedding as number[]
  })
  const length = vectors[0]?.length
  return vectors.map((vector) => {
    if (vector === undefined || vector.length !== length) throw unusable()
    return vector
  })
}

function parse(body: string): unknown {
  try {
    return (JSON.parse(body) as { data?: unknown } | null)?.data
  } catch {
    return undefined
  }
}

function unusable(): ColophonError {
  return new ColophonError(
    'embedding_failed',
    "The server at the embedder's URL did not answer with the OpenAI embeddings format.",
  )
}
