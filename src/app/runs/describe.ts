import type { InterruptRequest } from '../../core/run/interrupt.ts'
import { maskQuestion, maskText } from '../../core/run/mask.ts'
import { isEnded, type Run } from '../../core/run/run.ts'
import type { Tenant } from '../tenant.ts'
import { interruptToken } from './interrupts.ts'
import { maskOfRun } from './workflows.ts'

/** A run as it is shown, the node it is at, and the question that it waits on. Sensitive values are masked in all of it. */
export type RunDescription = {
  readonly tenantId: string
  readonly run: Run
  readonly currentNodeId: string | null
  readonly question: {
    readonly nodeId: string
    readonly interruptId: string
    readonly request: InterruptRequest
    /** Null also for a caller that may not answer: with the token anyone can. */
    readonly token: string | null
  } | null
}

export async function describeRun(
  tenant: Tenant,
  run: Run,
  { withTokens }: { readonly withTokens: boolean },
): Promise<RunDescription> {
  const currentNodeId = currentNode(run)
  const interrupt = currentNodeId === null ? undefined : run.text.interrupts[currentNodeId]
  const mask = await maskOfRun(tenant, run)
  const shown = mask === null ? run : { ...run, text: maskText(run.text, mask) }
  const described = { tenantId: tenant.id, run: shown, currentNodeId }
  if (currentNodeId === null || !interrupt || interrupt.resolution !== null) return { ...described, question: null }
  const { interruptId, request } = interrupt
  const token = withTokens ? await interruptToken(tenant, run, currentNodeId) : null
  const asked = mask === null ? request : maskQuestion(request, run.text, mask)
  return { ...described, question: { nodeId: currentNodeId, interruptId, request: asked, token } }
}

/** The first node that waits for an answer; without one, the first that is under way or waits. */
function currentNode(run: Run): string | null {
  if (isEnded(run.status)) return null
  const nodes = Object.entries(run.facts.nodes)
  const asking = nodes.find(([id, { status }]) => status === 'waiting' && run.text.interrupts[id]?.resolution === null)
  return (asking ?? nodes.find(([, { status }]) => status === 'running' || status === 'waiting'))?.[0] ?? null
}
