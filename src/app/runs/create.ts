import type { Outcome } from '../../core/batch.ts'
import { checkIdentifier, checkJson } from '../../core/check.ts'
import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Run } from '../../core/run/run.ts'
import { checkConfigurable } from '../../core/workflow/configurable.ts'
import { copyJson } from '../../core/workflow/json.ts'
import { initialVariables } from '../../core/workflow/variables.ts'
import type { CommitOptions, WriteOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { currentWorkflow } from '../workflows.ts'
import { boundsOf, checkKnownOptions, type NewRun, runJobKind, toNewRunStep, toRunJob } from './new-run.ts'

/** What a caller asks for; members that are not named here are not read. */
export type RunDraft = {
  readonly workflowId?: unknown
  readonly inputs?: unknown
  readonly configurable?: unknown
  readonly tags?: unknown
  readonly metadata?: unknown
  readonly scopeId?: unknown
}

export type RunCreated = { readonly run: Run; readonly repeated: boolean }

export async function createRun(
  tenant: Tenant,
  draft: RunDraft,
  options: WriteOptions & { readonly isAloneInScope?: boolean } = {},
): Promise<RunCreated> {
  const { isAloneInScope = false, ...write } = options
  const { workflowId, scopeId = null } = draft
  if (scopeId !== null) checkIdentifier('scopeId', scopeId, 'runScopeCharactersMax', limits.runScopeCharactersMax)
  if (typeof workflowId !== 'string' || workflowId === '') throw invalid('workflowId', 'must name a workflow')
  const text = parseRunText(draft)
  const call = { operation: 'run.create', workflowId, ...text, scopeId, isAloneInScope }
  const commitOptions = { ...write, call }
  try {
    const parts = { workflowId, scopeId, isAloneInScope, text, actor: options.actor ?? tenant.engine.actor }
    return await storeNewRun(tenant, await toNewRun(tenant, parts), commitOptions)
  } catch (error) {
    // The workflow may have changed since the first call with this key, and would not take the draft any more.
    const first = isColophonError(error, 'validation_error') ? await tenant.findOutcome(commitOptions) : null
    if (first === null) throw error
    return { run: await firstRun(tenant, first), repeated: true }
  }
}

type RunParts = {
  readonly workflowId: string
  readonly scopeId: string | null
  readonly isAloneInScope: boolean
  readonly text: DraftText
  readonly actor: string
}

async function toNewRun(tenant: Tenant, parts: RunParts): Promise<NewRun> {
  const { workflowId, scopeId, isAloneInScope, text, actor } = parts
  const current = await currentWorkflow(tenant, workflowId)
  // The name is not repeated: it may be anything, also something that should not be seen again.
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
    },
    text: { ...text, variables: initialVariables(definition, text.inputs) },
    claimsScope: isAloneInScope ? (scopeId ?? '') : null,
  }
}

/** The run that an earlier call with the same key made. */
async function firstRun(tenant: Tenant, { runs }: Outcome): Promise<Run> {
  const run = await tenant.storage.runs.get(tenant.id, runs?.[0] ?? '')
  if (run === null) throw new ColophonError('content_erased', 'What the first call made is gone.')
  return run
}

/** Stores the run with the job that drives it. If a worker here has room, the job is its own from the start. */
export async function storeNewRun(
  tenant: Tenant,
  parts: NewRun,
  options: CommitOptions,
  step = toNewRunStep(parts),
): Promise<RunCreated> {
  const adoption = tenant.engine.workers.adopt(tenant.id, runJobKind)
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
      else tenant.engine.workers.wake()
      return { run, repeated }
    }
    adoption?.drop()
    return { run: await firstRun(tenant, outcome), repeated }
  } catch (error) {
    adoption?.drop()
    throw error
  }
}

type DraftText = {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly configurable: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
}

export function parseRunText(draft: RunDraft): DraftText {
  return {
    inputs: parseObject('inputs', draft.inputs, 'runInputsBytesMax'),
    configurable: parseObject('configurable', draft.configurable, 'runConfigurableBytesMax'),
    metadata: parseObject('metadata', draft.metadata, 'runMetadataBytesMax'),
    tags: parseRunTags(draft.tags),
  }
}

type SizeLimit = 'runInputsBytesMax' | 'runConfigurableBytesMax' | 'runMetadataBytesMax'

function parseObject(field: string, value: unknown, limit: SizeLimit): Readonly<Record<string, unknown>> {
  if (value === undefined) return {}
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalid(field, 'must be an object')
  checkJson(field, value, limit, limits[limit])
  return copyJson(field, value, 'definitionBytesMax') as Readonly<Record<string, unknown>>
}

function parseRunTags(value: unknown): readonly string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > limits.runTagsMax) {
    throw invalid('tags', `must be an array of at most ${limits.runTagsMax}`, {
      limit: 'runTagsMax',
      max: limits.runTagsMax,
    })
  }
  for (const tag of value) checkIdentifier('tags', tag, 'runTagCharactersMax', limits.runTagCharactersMax)
  return value as readonly string[]
}
