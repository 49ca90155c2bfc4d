import type { HostNodeRequest, NodeType } from '../app/runs/node-type.ts'
import { checkDecision, type Decision, isConfidence } from '../core/workflow/decision.ts'
import { supervisor } from '../nodes/supervisor.ts'
import { decided } from '../nodes/supervisor-result.ts'

/** The plan of a supervisor without a config: one worker, then the end. */
const plain: readonly Decision[] = [{ kind: 'next-worker', nextWorkerIds: ['conformance-noop'] }, { kind: 'terminate' }]

/** The supervisor, extended by the plans that conformance workflows name: one decision per turn. */
export const plannedSupervisor: NodeType = {
  ...supervisor,
  checkConfig(config, field) {
    if (decides(config)) return supervisor.checkConfig?.(config, field)
    for (const [index, decision] of planOf(config).entries()) checkDecision(`${field}[${index}]`, decision)
  },
  async execute(request: HostNodeRequest) {
    const { config } = request.node
    if (decides(config)) return supervisor.execute(request)
    const { mockConfidence } = config
    const decision = planOf(config)[request.turn - 1] ?? { kind: 'terminate' as const }
    const shown = decision
    if (!isConfidence(mockConfidence)) return decided(request, { decision, shown })
    return decided(request, { decision, shown, confidence: mockConfidence, agent: await request.installedAgent() })
  },
}

/** Whether the supervisor of the host decides. */
function decides({ rules, prompt, workers }: Readonly<Record<string, unknown>>): boolean {
  return rules !== undefined || prompt !== undefined || workers !== undefined
}

function planOf(config: Readonly<Record<string, unknown>>): readonly Decision[] {
  const { mockDecisions, mockDispatchPlan, mockPendingDecision } = config
  const plan = mockDecisions ?? mockDispatchPlan ?? (mockPendingDecision === undefined ? plain : [mockPendingDecision])
  return plan as readonly Decision[]
}
