import { checkAgentOptions } from '../../core/agents/confidence.ts'
import { checkCount } from '../../core/check.ts'
import { defaultTrust } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import type { NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { logEra } from '../../core/run/log-era.ts'
import type { RunBounds, RunFacts, RunStep, RunText } from '../../core/run/run.ts'
import type { WorkflowDefinition } from '../../core/workflow/definition.ts'

/** The parts of a new run that are not defaults. */
export type NewRun = {
  readonly runId: string
  readonly workflowId: string
  readonly workflowVersion: number
  readonly facts: Pick<RunFacts, 'actor' | 'jobId' | 'bounds'> & Partial<RunFacts>
  readonly text: Pick<RunText, 'inputs' | 'variables' | 'configurable'> & Partial<RunText>
  readonly snapshot?: RunStep['snapshot']
  readonly claimsScope?: string | null
}

/** The first step of a run, which creates it. */
export function toNewRunStep(parts: NewRun): RunStep {
  const { runId, workflowId, workflowVersion, snapshot = null, claimsScope = null } = parts
  return {
    expects: 0,
    run: {
      runId,
      workflowId,
      workflowVersion,
      status: 'pending',
      facts: {
        scopeId: null,
        parent: null,
        fork: null,
        nodes: {},
        own: [],
        ownGiven: parts.facts.own?.length ?? 0,
        nodeExecutions: 0,
        memoryCalls: 0,
        memoryWrites: 0,
        startedAt: null,
        pause: null,
        familyLeft: limits.runFamilyMax,
        ...parts.facts,
        // Every way to create a run passes here, so no new run is without it.
        era: logEra,
      },
      text: {
        outputs: {},
        tags: [],
        metadata: {},
        interrupts: {},
        ephemeral: {},
        pauseReason: null,
        error: null,
        ...parts.text,
      },
    },
    snapshot,
    firstSequence: 0,
    events: [],
    calls: [],
    claimsScope,
  }
}

/** The facts of a new run about the class of what it reads and writes. Defaults are left out. */
export function trustFacts({
  trust,
  trustMin,
}: { [Name in 'trust' | 'trustMin']?: RunFacts[Name] | undefined }): Partial<RunFacts> {
  return {
    ...(trust === undefined ? {} : { trust, isTainted: true }),
    ...(trustMin === undefined || trustMin === defaultTrust ? {} : { trustMin }),
  }
}

/** The job that executes a run. */
export const runJobKind = 'colophon.run'

/** The job that executes a run, with a higher priority than passes over stored data. */
export function toRunJob(jobId: string, runId: string): NewJob {
  return {
    jobId,
    kind: runJobKind,
    payload: { runId },
    priority: 10,
    dueAt: null,
    attemptsMax: limits.runAttemptsMax,
  }
}

/** The limits of a run: the smallest of those of the request, the workflow and the host. */
export function boundsOf(definition: WorkflowDefinition, configurable: Readonly<Record<string, unknown>>): RunBounds {
  const { recursionLimit, runTimeoutMs } = configurable
  const timeouts = [limits.runDurationMsMax]
  if (runTimeoutMs !== undefined) {
    checkCount('configurable.runTimeoutMs', runTimeoutMs, 1)
    timeouts.push(runTimeoutMs)
  }
  const { timeout = 0 } = definition.settings
  if (timeout > 0) timeouts.push(timeout)
  if (recursionLimit !== undefined) checkCount('configurable.recursionLimit', recursionLimit, 1)
  return {
    nodeExecutionsMax: Math.min((recursionLimit as number | undefined) ?? Infinity, limits.runNodeExecutionsMax),
    durationMs: Math.min(...timeouts),
  }
}

/** Checks the options that this host knows. Other options are stored and shown as they are. */
export function checkKnownOptions(configurable: Readonly<Record<string, unknown>>): void {
  const { temperature, maxTokens } = configurable
  if (temperature !== undefined && !(typeof temperature === 'number' && temperature >= 0 && temperature <= 2)) {
    throw invalid('configurable.temperature', 'must be a number from 0 to 2')
  }
  const tokenBudget = configurable['distillation.tokenBudget']
  if (tokenBudget !== undefined) checkCount('configurable.distillation.tokenBudget', tokenBudget, 1)
  if (maxTokens !== undefined) checkCount('configurable.maxTokens', maxTokens, 1)
  checkAgentOptions(configurable)
  refuseProviders(configurable)
}

/**
 * Refuses options that choose a provider of models: this host advertises none (`aiProviders`), and would ignore them. They are a group,
 * and in version 1 also names with a dot.
 */
function refuseProviders({ ai, mockProvider, ...options }: Readonly<Record<string, unknown>>): void {
  const group = ai !== null && typeof ai === 'object' ? (ai as Readonly<Record<string, unknown>>) : {}
  const isGiven = (name: string) => group[name] !== undefined || options[`ai.${name}`] !== undefined
  if (isGiven('provider'))
    throw invalid('configurable.ai.provider', 'is not supported: this host advertises no providers of models')
  const refuse = (code: 'credential_forbidden' | 'mock_provider_forbidden', name: string) => {
    const field = `configurable.${name}`
    throw new ColophonError(code, `${field} is not supported by this host.`, { details: { field } })
  }
  if (isGiven('credentialRef')) refuse('credential_forbidden', 'ai.credentialRef')
  if (isGiven('mockProvider')) refuse('mock_provider_forbidden', 'ai.mockProvider')
  if (mockProvider !== undefined) refuse('mock_provider_forbidden', 'mockProvider')
}
