import type { Outcome } from '../../core/commit/batch.ts'
import { checkTrust, defaultTrust, type Trust, writeTrust } from '../../core/entries/trust.ts'
import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import type { Run } from '../../core/run/run.ts'
import { checkConfigurable } from '../../core/workflow/configurable.ts'
import { initialVariables } from '../../core/workflow/variables.ts'
import type { CommitOptions, WriteOptions } from '../commit.ts'
import { trustFloorOf } from '../entries/read-access.ts'
import { type FinalWriteOptions, withFinalRefusals } from '../final-refusals.ts'
import type { Tenant } from '../tenant.ts'
import { agentWorkflow } from './agent-workflow.ts'
import { isOfReader } from './control.ts'
import { boundsOf, checkKnownOptions, type NewRun, runJobKind, toNewRunStep, toRunJob, trustFacts } from './new-run.ts'
import { currentWorkflow } from './workflow-registry.ts'

type Values = Readonly<Record<string, unknown>>

export type CreateRunRequest = {
  readonly workflowId?: string | undefined
  /** Instead of a workflow: the run dispatches this agent with the input `task`. */
  readonly agentId?: string | undefined
  readonly inputs?: Values | undefined
  readonly configurable?: Values | undefined
  readonly tags?: readonly string[] | undefined
  readonly metadata?: Values | undefined
  readonly scopeId?: string | null | undefined
  /** `untrusted`: its inputs come from a tool or a web page, so it writes untrusted memory from the start. */
  readonly trust?: Trust | undefined
}

export type CreatedRun = { readonly run: Run; readonly repeated: boolean }

/** Creates a run of the newest version of a workflow, and the job that executes it. */
export async function createRun(
  tenant: Tenant,
  draft: CreateRunRequest,
  options: FinalWriteOptions & { readonly isAloneInScope?: boolean } = {},
): Promise<CreatedRun> {
  const { isAloneInScope = false, ...write } = options
  const { scopeId = null } = draft
  if (draft.trust !== undefined) checkTrust('trust', draft.trust)
  const given = writeTrust(defaultTrust, draft.trust) === 'untrusted' ? ({ trust: 'untrusted' } as const) : {}
  const { inputs = {}, configurable = {}, metadata = {}, tags = [] } = draft
  const text = { inputs, configurable, metadata, tags }
  const workflowId = await workflowOf(tenant, draft, options)
  const { reader } = tenant
  const forReader = reader === null ? {} : { reader }
  const call = { operation: 'run.create', workflowId, ...text, scopeId, isAloneInScope, ...given, ...forReader }
  const commitOptions = { ...write, call }
  const parts = { workflowId, scopeId, isAloneInScope, given, text, actor: options.actor ?? tenant.engine.actor }
  return withFinalRefusals(tenant, commitOptions, async () => {
    try {
      return await storeNewRun(tenant, await planRun(tenant, parts), commitOptions)
    } catch (error) {
      // The workflow may have changed since the first call with this idempotency key, and may refuse the request now.
      const first = isRefusedNow(error) ? await tenant.findOutcome(commitOptions) : null
      if (first === null) throw await withoutHiddenRun(tenant, error)
      return { run: await firstRun(tenant, first), repeated: true }
    }
  })
}

function isRefusedNow(error: unknown): boolean {
  return isColophonError(error, 'validation_error') || isColophonError(error, 'not_found')
}

/** The refusal names the run that is active in the scope. For a reader that cannot see that run, it has no name of it. */
async function withoutHiddenRun(tenant: Tenant, error: unknown): Promise<unknown> {
  if (tenant.reader === null || !isColophonError(error, 'run_already_active')) return error
  const { activeRunId, ...details } = error.details ?? {}
  const active = await tenant.storage.runs.get(tenant.id, String(activeRunId))
  if (active !== null && isOfReader(tenant, active)) return error
  return new ColophonError('run_already_active', error.message, { details })
}

async function workflowOf(
  tenant: Tenant,
  { workflowId, agentId, inputs = {} }: CreateRunRequest,
  options: WriteOptions,
): Promise<string> {
  if ((workflowId === undefined) === (agentId === undefined)) throw invalid('workflowId', 'or agentId must be given')
  return agentId === undefined ? (workflowId ?? '') : agentWorkflow(tenant, agentId, inputs, options)
}

export type RunParts = {
  readonly workflowId: string
  readonly scopeId: string | null
  readonly isAloneInScope: boolean
  readonly given: { readonly trust?: 'untrusted' }
  readonly text: Pick<Run['text'], 'inputs' | 'configurable' | 'metadata' | 'tags'>
  readonly actor: string
}

/** A run of the newest version of a workflow, not stored yet. */
export async function planRun(tenant: Tenant, parts: RunParts): Promise<NewRun> {
  const { workflowId, scopeId, isAloneInScope, given, text, actor } = parts
  const [current, trustMin] = await Promise.all([currentWorkflow(tenant, workflowId), trustFloorOf(tenant)])
  // The message does not repeat the id: it is free text of the client.
  if (current === null) throw new ColophonError('not_found', 'There is no such workflow.')
  const { definition, version } = current
  if (definition.configurableSchema !== undefined) checkConfigurable(definition.configurableSchema, text.configurable)
  checkKnownOptions(text.configurable)
  return {
    runId: tenant.system.newId('run'),
    workflowId: definition.id,
    workflowVersion: version,
    facts: {
      actor,
      jobId: tenant.system.newId('job'),
      bounds: boundsOf(definition, text.configurable),
      scopeId,
      ...trustFacts({ ...given, trustMin }),
      ...(tenant.reader === null ? {} : { reader: tenant.reader }),
    },
    text: { ...text, variables: initialVariables(definition, text.inputs) },
    claimsScope: isAloneInScope ? (scopeId ?? '') : null,
  }
}

/** The run that an earlier call with the same idempotency key created. */
async function firstRun(tenant: Tenant, { runs }: Outcome): Promise<Run> {
  const run = await tenant.storage.runs.get(tenant.id, runs?.[0] ?? '')
  if (run === null) throw new ColophonError('content_erased', 'The run of the first call was erased.')
  return run
}

/** Stores the run with the job that executes it. If a worker of this process has a free slot, it gets the lease at once. */
export async function storeNewRun(
  tenant: Tenant,
  parts: NewRun,
  options: CommitOptions,
  step = toNewRunStep(parts),
): Promise<CreatedRun> {
  const adoption = tenant.engine.workers.reserveSlot(tenant.id, runJobKind)
  const job = toRunJob(parts.facts.jobId, parts.runId)
  try {
    const { runs, jobs, repeated, outcome } = await tenant.commit(
      {
        kind: 'memory.written',
        runs: [step],
        jobs: [adoption ? { ...job, lease: adoption.lease } : job],
      },
      options,
    )
    const [run] = runs
    const [stored] = jobs
    if (!repeated && run && stored) {
      if (adoption) adoption.start(tenant.id, stored, run)
      else tenant.engine.workers.wake(runJobKind)
      return { run, repeated }
    }
    adoption?.release()
    return { run: await firstRun(tenant, outcome), repeated }
  } catch (error) {
    adoption?.release()
    throw error
  }
}
