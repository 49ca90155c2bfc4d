import { ColophonError, invalid, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { growthOf } from '../../core/quotas/growth.ts'
import { asTurnOfClient, type ConversationAnswer, isConversation } from '../../core/run/conversation.ts'
import type { Interrupt, InterruptRequest } from '../../core/run/interrupt.ts'
import { checkResolution, endsWaiting } from '../../core/run/interrupt-resolution.ts'
import { maskInterruptRequest } from '../../core/run/mask.ts'
import { isAcceptance, isApprover, needsKey, quorumOf } from '../../core/run/quorum.ts'
import { isEnded, type Run } from '../../core/run/run.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import type { Engine } from '../engine.ts'
import type { FinalWriteOptions } from '../final-refusals.ts'
import type { Tenant } from '../tenant.ts'
import { answerConversation } from './answer-conversation.ts'
import { type ChangedRun, changeRun, getRun } from './control.ts'
import { refuseTooLarge } from './node-failure.ts'
import { maskOfRun } from './workflow-registry.ts'

/** Interrupts: questions of a run to people and systems, and their answers (signals). The first answer is stored; a second one is refused. */

export type InterruptAnswer = { readonly value: unknown; readonly by: string | null }

/** The interrupt of a node. A node of a loop asks again in a later turn: `interruptId` says which question is meant. */
type InterruptKey = { readonly runId: string; readonly nodeId: string; readonly interruptId?: string }

/** Answers the interrupt of a node and wakes the run. An approval that needs several approvers is counted first. */
export async function resolveInterrupt(
  tenant: Tenant,
  interruptKey: InterruptKey,
  answer: InterruptAnswer,
  options: FinalWriteOptions = {},
): Promise<ChangedRun> {
  const { runId, nodeId } = interruptKey
  // The answering key is part of the call: the approval of one key is no repeat of another key's.
  const call = { operation: 'run.answer', nodeId, value: answer.value ?? null, by: answer.by }
  return changeRun(tenant, runId, call, options, async (progress) => {
    const refusal = refusalOf(progress, nodeId) ?? refusalOfApprover(progress, nodeId, answer.by)
    if (refusal) return { refusal }
    const interrupt = progress.text.interrupts[nodeId] as Interrupt
    if (interrupt.interruptId !== (interruptKey.interruptId ?? interrupt.interruptId))
      return { refusal: answeredAlready() }
    const value = checkResolution(interrupt.request, answer.value)
    if (isConversation(interrupt.request.kind)) {
      const turn = asTurnOfClient(value as ConversationAnswer, answer.by)
      const isClosed = answerConversation(progress, nodeId, { ...answer, value: turn }, tenant.now())
      refuseTooLarge(progress)
      const refusal = isClosed ? null : await refusalOfTurn(tenant, progress)
      if (refusal) return { refusal }
      return { wakes: isClosed ? [progress.facts.jobId] : [] }
    }
    if (!endsWaiting(interrupt.request, value)) {
      const by = answer.by === null ? {} : { by: answer.by }
      const logged = { level: 'info', message: 'The approver asked a question before deciding.', nodeId, ...by }
      progress.emit('log.appended', { nodeId, facts: logged })
      return { wakes: [] }
    }
    const given = { ...answer, value }
    if (needsMoreApprovals(interrupt, given)) {
      const repeated = countApproval(progress, nodeId, interrupt, given, tenant.now())
      return repeated ? { refusal: repeated } : { wakes: [] }
    }
    resolve(progress, nodeId, interrupt, given, tenant.now())
    return { wakes: [progress.facts.jobId] }
  })
}

/** A step of a run is not refused, so the quotas are checked here: a conversation may have any number of turns. The last one is always taken. */
async function refusalOfTurn(tenant: Tenant, progress: RunProgress): Promise<ColophonError | null> {
  const growth = growthOf({ kind: 'memory.written', runs: [progress.toStep()] })
  try {
    if (growth !== null) await tenant.engine.quotas.ensureRoom(tenant.id, growth)
    return null
  } catch (error) {
    if (isColophonError(error, 'storage_quota_exceeded')) return error
    throw error
  }
}

/** If the workflow names approvers, only their keys may answer. The run keeps waiting. */
function refusalOfApprover(progress: RunProgress, nodeId: string, by: string | null): ColophonError | null {
  const { request } = progress.text.interrupts[nodeId] as Interrupt
  if (request.kind !== 'approval' || isApprover(quorumOf(request.data), by)) return null
  const message =
    by === null
      ? 'This approval names its approvers: answer with an API key, not with a token.'
      : 'The key is not one of the approvers of this workflow.'
  return new ColophonError('forbidden', message, { details: { reason: 'not_an_approver' } })
}

/** Whether the run keeps waiting after this approval: for another approver, or because this key has approved already. */
function needsMoreApprovals({ request, approvals = [] }: Interrupt, { value, by }: InterruptAnswer): boolean {
  if (request.kind !== 'approval' || !isAcceptance(value)) return false
  const { required } = quorumOf(request.data)
  if (required === 1) return false
  return required === null || approvals.some((known) => known.by === by) || approvals.length + 1 < required
}

function countApproval(
  progress: RunProgress,
  nodeId: string,
  interrupt: Interrupt,
  answer: InterruptAnswer,
  now: number,
): ColophonError | null {
  const { approvals = [] } = interrupt
  const by = answer.by ?? ''
  if (approvals.some((known) => known.by === by)) {
    const requiredApprovals = quorumOf(interrupt.request.data).required
    const details = { approvals: approvals.length, requiredApprovals }
    return new ColophonError('approval_repeated', 'This key has approved already. Another approver must approve.', {
      details,
    })
  }
  const counted = { ...interrupt, approvals: [...approvals, { by, at: now }] }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: counted } } })
  emitDecision(progress, nodeId, answer, now)
  return null
}

function emitDecision(progress: RunProgress, nodeId: string, { value, by }: InterruptAnswer, now: number): void {
  const { action } = value as { action: string }
  const decidedAt = new Date(now).toISOString()
  progress.emit('approval.received', {
    nodeId,
    facts: { nodeId, action, decidedAt, ...(by === null ? {} : { decidedBy: by }) },
  })
}

function refusalOf(progress: RunProgress, nodeId: string): ColophonError | null {
  const interrupt = Object.hasOwn(progress.text.interrupts, nodeId) ? progress.text.interrupts[nodeId] : undefined
  if (interrupt === undefined) return new ColophonError('interrupt_not_found', 'There is no such interrupt.')
  if (interrupt.resolution !== null && isConversation(interrupt.request.kind))
    return invalid('resumeValue.operation', 'must belong to an open conversation: this one is closed')
  if (interrupt.resolution !== null) return answeredAlready()
  if (isEnded(progress.status))
    return new ColophonError('interrupt_cancelled', 'The run ended before it was answered.', {
      details: { runStatus: progress.status },
    })
  if (progress.facts.fork?.mode === 'replay')
    return new ColophonError('interrupt_already_resolved', 'A replay has the answers of its source run.')
  return null
}

function answeredAlready(): ColophonError {
  return new ColophonError('interrupt_already_resolved', 'This interrupt was answered already.')
}

function resolve(
  progress: RunProgress,
  nodeId: string,
  interrupt: Interrupt,
  { reason, ...answer }: InterruptAnswer & { readonly reason?: string },
  now: number,
): void {
  const { interruptId, request } = interrupt
  const resolved = { ...interrupt, resolution: answer }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: resolved } } })
  const by = answer.by === null ? {} : { resolvedBy: answer.by }
  const decision = request.kind === 'approval' ? { action: (answer.value as { action: string }).action } : {}
  const why = reason === undefined ? {} : { reason }
  const facts = { nodeId, interruptId, kind: request.kind, ...why, ...decision, ...by }
  progress.emit('interrupt.resolved', { nodeId, facts })
  if (request.kind === 'approval') emitDecision(progress, nodeId, answer, now)
  progress.emit('node.resumed', { nodeId, facts: { nodeId, interruptId } })
  if (progress.status !== 'paused') progress.set({ status: 'running' })
}

/** An approval without a decision in time is rejected, and the log says so. The node then fails. */
export function rejectOverdueApproval(progress: RunProgress, nodeId: string, now: number): void {
  const interrupt = progress.text.interrupts[nodeId]
  const isOverdue = interrupt?.resolution === null && interrupt.deadline !== null && interrupt.deadline <= now
  if (!isOverdue || interrupt.request.kind !== 'approval') return
  resolve(progress, nodeId, interrupt, { value: { action: 'timeout' }, by: null, reason: 'timeout' }, now)
}

/** The request of an interrupt, with sensitive values masked. The token of an earlier question does not show the later one. */
export async function readInterrupt(
  tenant: Tenant,
  { runId, nodeId, interruptId }: InterruptKey,
  { refusesEnded = false }: { readonly refusesEnded?: boolean } = {},
): Promise<InterruptRequest> {
  const run = await getRun(tenant, runId)
  const interrupt = Object.hasOwn(run.text.interrupts, nodeId) ? run.text.interrupts[nodeId] : undefined
  if (interrupt === undefined) throw new ColophonError('interrupt_not_found', 'There is no such interrupt.')
  if (interrupt.interruptId !== (interruptId ?? interrupt.interruptId)) throw answeredAlready()
  if (refusesEnded && (interrupt.resolution !== null || isEnded(run.status))) throw answeredAlready()
  const mask = await maskOfRun(tenant, run)
  return mask === null ? interrupt.request : maskInterruptRequest(interrupt.request, run.text, mask)
}

type TokenPayload = {
  readonly tenant: string
  readonly runId: string
  readonly nodeId: string
  readonly interruptId: string
  readonly expiresAt: number
  readonly intent: 'resolve' | 'inspect'
}

/**
 * A bearer token that lets a client without an API key read and answer one interrupt. It is signed with the tenant's key and expires. The
 * signature also covers `label`, by which a protocol distinguishes its tokens.
 */
export async function createInterruptToken(
  tenant: Tenant,
  run: Run,
  nodeId: string,
  label = '',
): Promise<string | null> {
  const interrupt = run.text.interrupts[nodeId]
  const isOpen = interrupt?.resolution === null && !isEnded(run.status) && run.facts.fork?.mode !== 'replay'
  if (!interrupt || !isOpen) return null
  if (interrupt.request.kind === 'approval' && needsKey(quorumOf(interrupt.request.data))) return null
  const expiresAt = Math.min(
    tenant.expiryNow() + limits.interruptTokenMs,
    interrupt.deadline ?? Number.MAX_SAFE_INTEGER,
  )
  const { interruptId } = interrupt
  const payload: TokenPayload = {
    tenant: tenant.id,
    runId: run.runId,
    nodeId,
    interruptId,
    expiresAt,
    intent: 'resolve',
  }
  const body = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${body}.${await sign(tenant, `${label}${body}`)}`
}

/** The payload of a token, if its signature is valid and it has not expired. */
export async function verifyInterruptToken(engine: Engine, token: string, label = ''): Promise<TokenPayload> {
  const unknown = new ColophonError('interrupt_not_found', 'The token is not valid.')
  const [body = '', mac = '', ...more] = token.length > limits.interruptTokenCharactersMax ? [] : token.split('.')
  const payload = more.length > 0 ? null : parsePayload(body)
  const tenant = payload && (await engine.storage.tenant(payload.tenant))
  if (payload === null || tenant === null || tenant.status === 'disabled') throw unknown
  if (!engine.system.isSame(await sign(engine.tenant(payload.tenant), `${label}${body}`), mac)) throw unknown
  if (payload.expiresAt <= engine.instants.expiryNow(payload.tenant))
    throw new ColophonError('interrupt_expired', 'The token has expired.')
  return payload
}

/** Refuses an answer by a token that was given out for reading only. */
export function checkResolves({ intent }: Pick<TokenPayload, 'intent'>): void {
  if (intent !== 'resolve')
    throw new ColophonError('forbidden', 'This token can only read the interrupt, not resolve it.')
}

async function sign(tenant: Tenant, body: string): Promise<string> {
  const { digest } = await tenant.context()
  return digest(`interrupt-token.${body}`)
}

function parsePayload(body: string): TokenPayload | null {
  try {
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as Partial<TokenPayload> | null
    const isComplete =
      typeof payload?.tenant === 'string' &&
      typeof payload.runId === 'string' &&
      typeof payload.nodeId === 'string' &&
      typeof payload.expiresAt === 'number'
    return isComplete ? (payload as TokenPayload) : null
  } catch {
    return null
  }
}
