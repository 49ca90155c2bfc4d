import type { RunProgress } from './run-progress.ts'

/** One recorded answer of a model. Its text is in the text of the run, under its node. */
export type ModelCall = {
  readonly nodeId: string
  /** The keyed hash of the request: see `core/agents/request-key.ts`. */
  readonly key: string
  /** The sequence of its `provider.usage` event. */
  readonly sequence: number
  readonly inputTokens: number
  readonly outputTokens: number
}

type Recorded = Pick<RunProgress, 'facts' | 'text'>

/** A fork that takes over the event of an answer takes over the answer. */
export function inheritAnswer(progress: RunProgress, source: Recorded, sequence: number): void {
  const call = source.facts.modelCalls?.find((recorded) => recorded.sequence === sequence)
  if (call === undefined) return
  const { nodeId } = call
  const taken = progress.text.answers?.[nodeId] ?? []
  const answer = source.text.answers?.[nodeId]?.[taken.length]
  if (answer === undefined) return
  progress.set({
    facts: { modelCalls: [...(progress.facts.modelCalls ?? []), call] },
    text: { answers: { ...progress.text.answers, [nodeId]: [...taken, answer] } },
  })
}
