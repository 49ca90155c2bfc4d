import type { ModelAnswer, ModelRequest } from '../core/agents/model-request.ts'

/** A model that answers messages. Nothing is streamed. */
export interface ChatModel {
  /** Such as `openai-compatible`: which protocol it speaks, not where it is. */
  readonly provider: string
  readonly model: string
  /** Rejects with `model_unavailable` when it cannot answer now, with `model_failed` when its answer cannot be used. */
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>
}
