import type { NodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { invalid } from '../core/errors.ts'
import type { Run } from '../core/run/run.ts'
import { refuseErased } from '../core/workflow/erased-value.ts'
import { isJsonObject } from '../core/workflow/json-values.ts'
import { resolveTemplates } from '../core/workflow/template.ts'
import { defineNodeType } from './define-node-type.ts'

/** `absorb`, `continue` and `ignore` are the same: the node completes. */
const outcomes: readonly unknown[] = ['fail-parent', 'absorb', 'continue', 'ignore']

export const subWorkflow = defineNodeType({
  typeId: 'core.subWorkflow',
  description: 'Runs another workflow as a child run and waits for it.',
  config: {
    workflowId: { description: 'the workflow to run' },
    inputMapping: { description: 'inputs of the child by name, each from a variable, a path or a template' },
    outputMapping: { description: 'variables of this run by name, each from a variable of the child' },
    onChildFailure: { description: 'fail-parent, or absorb (also continue or ignore)' },
    memoryScopeIsolation: { description: 'shared or isolated' },
    waitForCompletion: { description: 'false to complete as soon as the child has started' },
  },
  hasLenientConfig: true,
  replay: 'effects',
  rawConfig: ['inputMapping'],
  // Erased inputs become erased inputs of the child.
  acceptsErased: true,
  checkConfig({ workflowId, inputMapping, outputMapping, onChildFailure, memoryScopeIsolation }, field) {
    if (typeof workflowId !== 'string' || workflowId === '')
      throw invalid(`${field}.workflowId`, 'must name a workflow')
    for (const [name, mapping] of Object.entries({ inputMapping, outputMapping })) {
      const isMapping = mapping === undefined || (isJsonObject(mapping) && Object.values(mapping).every(isName))
      if (!isMapping) throw invalid(`${field}.${name}`, 'must be an object of names')
    }
    if (onChildFailure !== undefined && !outcomes.includes(onChildFailure))
      throw invalid(`${field}.onChildFailure`, `must be one of ${outcomes.join(', ')}`)
    if (memoryScopeIsolation !== undefined && !['shared', 'isolated'].includes(memoryScopeIsolation as string))
      throw invalid(`${field}.memoryScopeIsolation`, 'must be shared or isolated')
  },
  async execute(request) {
    const { config, state, child } = request
    if (state.childRunId !== undefined) return fromChild(request, child)
    refuseErased(config)
    return {
      kind: 'child',
      child: {
        workflowId: config.workflowId as string,
        inputs: { ...request.inputs, ...mapInputs(request) },
        isIsolated: config.memoryScopeIsolation === 'isolated',
        isDetached: config.waitForCompletion === false,
      },
    }
  },
})

function mapInputs({ config, scope }: NodeRequest): Record<string, unknown> {
  const mapping = (config.inputMapping ?? {}) as Record<string, string>
  const entries = Object.entries(mapping).flatMap(([name, source]) => {
    const isPath = /^(variables|inputs|outputs)\./.test(source)
    if (isPath || source.includes('{{')) return [[name, resolveTemplates(isPath ? `{{${source}}}` : source, scope)]]
    // The child does not get a variable that is not set. A path or a template that names nothing is a mistake.
    const [variable = ''] = source.split('.')
    return Object.hasOwn(scope.variables, variable) ? [[name, resolveTemplates(`{{variables.${source}}}`, scope)]] : []
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}

function fromChild({ config, state }: NodeRequest, child: Run | null): NodeResult {
  const { onChildFailure = 'fail-parent', outputMapping = {} } = config
  if (child?.status !== 'completed' && onChildFailure === 'fail-parent') {
    const message = `The child run ended as ${child?.status ?? 'unknown'}.`
    return { kind: 'failed', error: { code: 'child_run_failed', message } }
  }
  const variables = child?.status === 'completed' ? child.text.variables : {}
  const taken = Object.entries(outputMapping as Record<string, string>).flatMap(([name, source]) =>
    Object.hasOwn(variables, source) ? [[name, variables[source]] as const] : [],
  )
  return {
    kind: 'completed',
    outputs: { status: child?.status ?? 'unknown' },
    eventOutputs: { childRunId: state.childRunId, ...(child === null ? {} : { childStatus: child.status }) },
    variables: Object.fromEntries(taken),
  }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
