import assert from 'node:assert/strict'
import type { NodeRequest, NodeType } from '../../src/app/runs/node-type.ts'
import { isColophonError } from '../../src/core/errors.ts'

export const now = Date.parse('2026-01-01T00:00:00Z')

/** The parts of a request that a test decides. `raw` is the config as the workflow has it, before templates are resolved. */
type Given = Partial<Omit<NodeRequest, 'config' | 'node' | 'state'>> & {
  readonly config?: Record<string, unknown>
  readonly raw?: Record<string, unknown>
  readonly state?: Partial<NodeRequest['state']>
  readonly agent?: NodeRequest['node']['agent']
}

/** A request for the first execution of a node. A memory call fails unless the test gives a memory. */
export function requestOf({ config = {}, raw = config, state, agent, ...rest }: Given = {}): NodeRequest {
  const request = {
    tenantId: 'acme',
    runId: 'run_1',
    node: {
      id: 'step',
      typeId: 'core.noop',
      name: 'The step',
      position: { x: 0, y: 0 },
      config: raw,
      inputs: {},
      ...(agent ? { agent } : {}),
    },
    config,
    inputs: {},
    scope: { inputs: {}, variables: {}, outputs: {} },
    state: { status: 'running', attempt: 1, calls: 0, startedAt: now, ...state },
    now,
    isReplay: false,
    resolution: null,
    isTimedOut: false,
    child: null,
    ...rest,
  }
  return request as unknown as NodeRequest
}

/** The field that the type refuses in a config, without the prefix; null if the config is accepted. */
export function refusedField(type: NodeType, config: Record<string, unknown>): string | null {
  try {
    type.checkConfig?.(config, 'config')
    return null
  } catch (error) {
    assert.ok(isColophonError(error, 'validation_error'), String(error))
    return String(error.details.field).replace(/^config\.?/, '')
  }
}
