/** The limits of agents and models in runs: a part of `limits`. */
export const agentRunLimits = {
  /** Answers of a model in one run. */
  modelCallsPerRunMax: 64,
  /** Characters of those answers together. */
  runAnswersBytesMax: 1_048_576,
  /** Tokens of one answer when the node and the run name no limit. */
  modelOutputTokensDefault: 1_024,
  modelOutputTokensMax: 16_384,
  /** Calls of a model by an agent for one task. */
  agentTurnsMax: 8,
  /** Calls of tools that one answer of a model may ask for. */
  toolCallsPerAnswerMax: 16,
  /** Calls of tools by an agent for one task. */
  toolCallsPerTaskMax: 64,
  /** The beginning of a task in which an agent without a model looks for "remember that". */
  agentCueCharactersMax: 256,
  /** Tokens of memory in the prompt of an agent whose node names no budget. */
  agentMemoryTokensDefault: 2_000,
} as const
