import { z } from 'zod'
import { checkIdentifier, checkText } from '../../../core/check.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { drainPolicies, forkModes } from '../../../core/run/run.ts'
import { values } from '../../run-values-schema.ts'
import { bounded, loweredTrust, readerId, withCheck } from '../../schema-parts.ts'
import { runId } from './examples.ts'

const tags = withCheck(bounded(z.string(), limits, 'runTagsMax'), (field, given) => {
  for (const tag of given) checkIdentifier(field, tag, 'runTagCharactersMax', limits.runTagCharactersMax)
})

const runText = {
  configurable: values('runConfigurableBytesMax').optional().describe('Options of the workflow, and bounds of the run'),
  tags: tags.optional().describe('Shown in lists, and a filter of webhooks'),
  metadata: values('runMetadataBytesMax').optional(),
}

const scopeId = withCheck(z.string(), (field, given) =>
  checkIdentifier(field, given, 'runScopeCharactersMax', limits.runScopeCharactersMax),
)

export const RunDraft = z
  .looseObject({
    workflowId: withCheck(z.string(), (field, id) => {
      if (id === '') throw invalid(field, 'must name a workflow')
    })
      .optional()
      .describe('The workflow to run'),
    agentId: z
      .string()
      .optional()
      .describe(
        'Instead of a workflow: an installed agent, with the inputs `task` and, if it is not its own ref, `memoryRef`',
      ),
    inputs: values('runInputsBytesMax').optional().describe('Values that nodes read as {{inputs.name}}'),
    ...runText,
    scopeId: scopeId.nullish().describe('With `X-Dedup: enforce`, only one run of a scope is active at a time'),
    trust: loweredTrust,
    reader: readerId.optional().describe('The run reads only what this reader may see'),
  })
  .check(({ value, issues }) => {
    if ((value.workflowId === undefined) === (value.agentId === undefined))
      issues.push({
        code: 'custom',
        input: value,
        path: ['workflowId'],
        message:
          value.agentId === undefined ? 'is required, unless agentId is given' : 'must not be given with agentId',
      })
  })
  .meta({
    id: 'RunDraft',
    description: 'Which workflow to run, or which agent, with which inputs.',
    examples: [{ workflowId: 'visit', inputs: { person: 'ada' }, tags: ['front-desk'] }],
  })

const reason = withCheck(z.string(), (field, given) => {
  checkText(field, given)
  const max = limits.runReasonCharactersMax
  if (given.length > max)
    throw invalid(field, `must be at most ${max} characters`, { limit: 'runReasonCharactersMax', max })
}).optional()

export const Reason = z
  .looseObject({ reason })
  .nullish()
  .meta({
    id: 'RunReason',
    description: 'The reason, which is stored in the log of the run.',
    examples: [{ reason: 'The customer withdrew the request.' }],
  })

export const PauseDraft = z
  .looseObject({
    reason,
    drainPolicy: z
      .enum(drainPolicies)
      .optional()
      .describe('Whether the current node finishes first, which is the default'),
  })
  .nullish()
  .meta({
    id: 'PauseDraft',
    description: 'How to pause a run, and why.',
    examples: [{ drainPolicy: 'drain-current-node', reason: 'Maintenance at noon.' }],
  })

const runIds = bounded(z.string().max(limits.runIdCharactersMax), limits, 'bulkCancelRunsMax', 1)

export const BulkCancel = z.looseObject({ runIds, reason }).meta({
  id: 'BulkCancel',
  description: 'The runs to cancel, up to 100.',
  examples: [{ runIds: [runId], reason: 'The campaign is over.' }],
})

export const ForkDraft = z
  .looseObject({
    mode: z.enum(forkModes).describe('`replay` repeats the record; `branch` continues from `fromSeq`'),
    fromSeq: z.int().min(0).optional().describe('The first event that is not inherited; a branch needs it'),
    runOptionsOverlay: z
      .looseObject(runText)
      .optional()
      .describe('Changes of a branch: options and metadata are merged, tags are replaced'),
  })
  .check(({ value, issues }) => {
    const refuse = (field: string, message: string) =>
      issues.push({ code: 'custom', input: value, path: [field], message })
    if (value.mode === 'branch' && value.fromSeq === undefined)
      refuse('fromSeq', 'is required for a branch: the first event that is not inherited')
    if (value.mode === 'replay' && Object.keys(value.runOptionsOverlay ?? {}).length > 0)
      refuse('runOptionsOverlay', 'must be empty for a replay')
  })
  .meta({
    id: 'ForkDraft',
    description: 'How to fork a run.',
    examples: [{ mode: 'branch', fromSeq: 4, runOptionsOverlay: { tags: ['what-if'] } }],
  })
