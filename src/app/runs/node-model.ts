import type { ModelAnswer, ModelRequest } from '../../core/agents/model-request.ts'
import { semanticRequestKey } from '../../core/agents/request-key.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { answersBefore } from '../../core/run/orchestration.ts'
import { isErased } from '../../core/workflow/erased-value.ts'
import type { NodeEvents } from './node-events.ts'
import { ReplaySourceMissing } from './recorded-run.ts'
import type { RunExecution } from './run-execution.ts'

/**
 * The model for one node of one run. Every answer is stored in the run before the node sees it: redacted, and in the run's audit record.
 * An answer that is stored is never asked for again: after a crash because it was paid for, in a replay because it must be the same.
 */
export class NodeModel {
  readonly #execution: RunExecution
  readonly #nodeId: string
  readonly #events: NodeEvents
  #count: number

  constructor(execution: RunExecution, nodeId: string, events: NodeEvents) {
    this.#execution = execution
    // A node of a loop has the answers of its earlier turns before those of this one.
    this.#count = answersBefore(execution.progress, nodeId)
    this.#nodeId = nodeId
    this.#events = events
  }

  /** The name of the model; null when the host has none. */
  get name(): string | null {
    return this.#execution.tenant.host.model?.model ?? null
  }

  /** Whether answers come from the record or from a configured model. */
  get isAvailable(): boolean {
    return this.#execution.tenant.host.model !== null || this.#answers.length > 0
  }

  get #answers(): readonly unknown[] {
    return this.#execution.progress.text.answers?.[this.#nodeId] ?? []
  }

  async complete(request: ModelRequest): Promise<ModelAnswer> {
    const index = this.#count++
    if (index >= this.#answers.length) await this.#ask(request)
    // The event of a stored answer is stored too.
    else this.#events.emit('provider.usage', {})
    const answer = this.#answers[index]
    if (isErased(answer)) throw new ColophonError('content_erased', 'The answer of the model was erased.')
    return answer as ModelAnswer
  }

  async #ask(request: ModelRequest): Promise<void> {
    const { tenant, source, signal } = this.#execution
    if (source !== null) throw new ReplaySourceMissing()
    const { model } = tenant.host
    if (model === null)
      throw new ColophonError('capability_not_provided', 'The node needs a model, and this host has none.')
    this.#checkCount()
    const answer = await model.complete(request, signal)
    const { inputTokens, outputTokens } = answer.usage
    const used = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
    const sequence = this.#events.emit('provider.usage', {
      facts: { provider: model.provider, model: model.model, ...used },
    })
    const { messages, tools, schema, ...options } = request
    const semantic = {
      messages,
      ...(tools ? { tools } : {}),
      ...(schema ? { responseFormat: schema } : {}),
      ...options,
    }
    const { digest } = await tenant.context()
    const key = semanticRequestKey({ provider: model.provider, model: model.model, request: semantic }, digest)
    const { progress } = this.#execution
    const { modelCalls = [] } = progress.facts
    const answers = { ...progress.text.answers, [this.#nodeId]: [...this.#answers, answer] }
    progress.set({
      facts: { modelCalls: [...modelCalls, { nodeId: this.#nodeId, key, sequence, inputTokens, outputTokens }] },
      text: { answers },
    })
    await this.#execution.commitStep()
  }

  #checkCount(): void {
    const { modelCalls = [] } = this.#execution.progress.facts
    const max = limits.modelCallsPerRunMax
    const size = JSON.stringify(this.#execution.progress.text.answers ?? {}).length
    if (modelCalls.length < max && size <= limits.runAnswersBytesMax) return
    throw new ColophonError(
      'model_failed',
      `A run may have ${max} answers of a model, and ${limits.runAnswersBytesMax} characters of them.`,
    )
  }
}
