import type { JsonObject } from '../workflow/json-values.ts'
import type { AgentManifest } from './agent.ts'

/** What a run keeps of an agent's manifest from its first step on: a later change of the manifest does not change the run. */
export type RunAgentFacts = {
  readonly modelClass: AgentManifest['modelClass']
  readonly threshold?: number
  /** It asks for memory that outlives the run. */
  readonly hasLongTerm: boolean
  /** It acts with a model. Without one it acts by rules. */
  readonly isLive: boolean
  /** The key that the run acts for lacks `workspace:read`: the agent cannot read files for it. */
  readonly lacksFiles?: true
  /** How many times the manifest had been stored. */
  readonly revision: number
}

export type RunAgentText = {
  readonly systemPrompt: string
  /** Absent when the manifest has none. */
  readonly toolAllowlist?: readonly string[]
  readonly taskSchema?: JsonObject
  readonly returnSchema?: JsonObject
}

export type RunAgent = RunAgentFacts & RunAgentText & { readonly agentId: string }

/** The facts and the texts of an agent, as a run stores them apart: texts are redacted. */
export function splitAgent({ agentId: _id, ...agent }: RunAgent): { facts: RunAgentFacts; text: RunAgentText } {
  const { modelClass, threshold, hasLongTerm, isLive, lacksFiles, revision, ...text } = agent
  return {
    facts: {
      modelClass,
      hasLongTerm,
      isLive,
      revision,
      ...(threshold === undefined ? {} : { threshold }),
      ...(lacksFiles === undefined ? {} : { lacksFiles }),
    },
    text,
  }
}
