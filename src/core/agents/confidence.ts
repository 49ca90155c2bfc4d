import { invalid } from '../errors.ts'
import { escalationThreshold } from '../run/orchestration.ts'
import { countTokens } from '../search/token-budget.ts'
import { isConfidence } from '../workflow/decision.ts'

/** How much of its reasoning an agent shows in the log. */
const reasoningVerbosities = ['summary', 'full', 'off'] as const

type ReasoningVerbosity = (typeof reasoningVerbosities)[number]

/** Tokens of a reasoning in the log, as the protocol has them. */
export const reasoningTokensMax = 512

type Options = Readonly<Record<string, unknown>>

/** Checks the options of a run that its agents read. */
export function checkAgentOptions({ escalationThreshold: threshold, reasoningVerbosity: verbosity }: Options): void {
  if (threshold !== undefined && !isConfidence(threshold))
    throw invalid('configurable.escalationThreshold', 'must be a number from 0 to 1')
  if (verbosity !== undefined && !(reasoningVerbosities as readonly unknown[]).includes(verbosity))
    throw invalid('configurable.reasoningVerbosity', `must be one of ${reasoningVerbosities.join(', ')}`)
}

/** The threshold of the run, otherwise that of the manifest, otherwise that of the protocol. */
export function thresholdOf({ escalationThreshold: ofRun }: Options, ofManifest: number | undefined): number {
  return typeof ofRun === 'number' ? ofRun : (ofManifest ?? escalationThreshold)
}

/** Whether a person must ratify the decision. An agent without confidence gives no signal, so it does not ask. */
export function isBelow(confidence: number | undefined, threshold: number): confidence is number {
  return confidence !== undefined && Number.isFinite(confidence) && confidence < threshold
}

/** The payload members of `agent.reasoned`. With `off`, the event says only that nothing is shown. */
export function reasoningShown(reasoning: string, { reasoningVerbosity }: Options) {
  const verbosity = (reasoningVerbosity ?? 'summary') as ReasoningVerbosity
  return { verbosity, reasoning: verbosity === 'off' ? '' : withinTokens(reasoning) }
}

function withinTokens(text: string): string {
  // A token is four code points: see `countTokens`.
  return countTokens(text) <= reasoningTokensMax ? text : [...text].slice(0, reasoningTokensMax * 4).join('')
}
