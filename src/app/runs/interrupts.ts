import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkAnswer, isAnswered } from '../../core/run/answer.ts'
import type { Interrupt, InterruptRequest } from '../../core/run/interrupt.ts'
import type { Progress } from '../../core/run/progress.ts'
import { isEnded, type Run } from '../../core/run/run.ts'
import type { WriteOptions } from '../commit.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { type Controlled, changeRun, getRun } from './control.ts'

/** Questions that runs ask people and systems, and their answers. An answer is stored once; the second one is told so. */

export type Answer = { readonly value: unknown; readonly by: string | null }

export async function resolveInterrupt(
  tenant: Tenant,
  place: { readonly runId: string; readonly nodeId: string },
  answer: Answer,
  options: WriteOptions = {},
): Promise<Controlled> {
  const { runId, nodeId } = place
  const call = { operation: 'run.answer', nodeId, value: answer.value ?? null }
  return changeRun(tenant, runId, call, options, async (progress) => {
    const refusal = refusalOf(progress, nodeId)
    if (refusal) return { refusal }
    const interrupt = progress.text.interrupts[nodeId] as Interrupt
    const value = checkAnswer(interrupt.request, answer.value)
    if (!isAnswered(interrupt.request, value)) {
      const by = answer.by === null ? {} : { by: answer.by }
      const told = { level: 'info', message: 'Somebody asked back before deciding.', nodeId, ...by }
      progress.emit('log.appended', { nodeId, facts: told })
      return { wakes: [] }
    }
    answerNow(progress, nodeId, interrupt, { ...answer, value }, tenant.now())
    return { wakes: [progress.facts.jobId] }
  })
}

function refusalOf(progress: Progress, nodeId: string): ColophonError | null {
  const interrupt = Object.hasOwn(progress.text.interrupts, nodeId) ? progress.text.interrupts[nodeId] : undefined
  if (interrupt === undefined) return new ColophonError('interrupt_not_found', 'Nothing waits for an answer here.')
  if (interrupt.resolution !== null)
    return new ColophonError('interrupt_already_resolved', 'This was answered already.')
  if (isEnded(progress.status))
    return new ColophonError('interrupt_cancelled', 'The run ended while it waited.', {
      details: { runStatus: progress.status },
    })
  if (progress.facts.fork?.mode === 'replay')
    return new ColophonError('interrupt_already_resolved', 'A replay takes the answers of its source.')
  return null
}

function answerNow(progress: Progress, nodeId: string, interrupt: Interrupt, answer: Answer, now: number): void {
  const { interruptId, request } = interrupt
  const resolved = { ...interrupt, resolution: answer }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: resolved } } })
  const by = answer.by === null ? {} : { resolvedBy: answer.by }
  progress.emit('interrupt.resolved', { nodeId, facts: { nodeId, interruptId, kind: request.kind, ...by } })
  if (request.kind === 'approval') {
    const { action } = answer.value as { action: string }
    const decidedAt = new Date(now).toISOString()
    const decidedBy = answer.by === null ? {} : { decidedBy: answer.by }
    progress.emit('approval.received', { nodeId, facts: { nodeId, action, decidedAt, ...decidedBy } })
  }
  progress.emit('node.resumed', { nodeId, facts: { nodeId, interruptId } })
  if (progress.status !== 'paused') progress.set({ status: 'running' })
}

/** A question as the token's holder sees it. */
export async function readInterrupt(tenant: Tenant, runId: string, nodeId: string): Promise<InterruptRequest> {
  const run = await getRun(tenant, runId)
  const interrupt = Object.hasOwn(run.text.interrupts, nodeId) ? run.text.interrupts[nodeId] : undefined
  if (interrupt === undefined) throw new ColophonError('interrupt_not_found', 'Nothing waits for an answer here.')
  return interrupt.request
}

type TokenPayload = {
  readonly tenant: string
  readonly runId: string
  readonly nodeId: string
  readonly interruptId: string
  readonly expiresAt: number
  readonly intent: 'resolve' | 'inspect'
}

/** What opens a question to whoever holds it, without a key: signed by the tenant, and only for a while. */
export async function interruptToken(tenant: Tenant, run: Run, nodeId: string): Promise<string | null> {
  const interrupt = run.text.interrupts[nodeId]
  const isOpen = interrupt?.resolution === null && !isEnded(run.status) && run.facts.fork?.mode !== 'replay'
  if (!interrupt || !isOpen) return null
  const expiresAt = Math.min(tenant.now() + limits.interruptTokenMs, interrupt.deadline ?? Number.MAX_SAFE_INTEGER)
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
  return `${body}.${await sign(tenant, body)}`
}

/** The place that a token names, if the tenant signed it and its time is not over. */
export async function openToken(engine: Engine, token: string): Promise<TokenPayload> {
  const unknown = new ColophonError('interrupt_not_found', 'The token opens nothing.')
  const [body = '', mac = '', ...more] = token.length > limits.interruptTokenCharactersMax ? [] : token.split('.')
  const payload = more.length > 0 ? null : parsePayload(body)
  const tenant = payload && (await engine.storage.tenant(payload.tenant))
  if (payload === null || tenant === null || tenant.status === 'disabled') throw unknown
  if (!engine.system.isSame(await sign(engine.tenant(payload.tenant), body), mac)) throw unknown
  if (payload.expiresAt <= engine.system.now()) throw new ColophonError('interrupt_expired', 'The token has expired.')
  return payload
}

async function sign(tenant: Tenant, body: string): Promise<string> {
  const { digest } = await tenant.context()
  return digest(`interrupt-token.${body}`)
}

function parsePayload(body: string): TokenPayload | null {
  try {
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as Partial<TokenPayload> | null
    const isWhole =
      typeof payload?.tenant === 'string' &&
      typeof payload.runId === 'string' &&
      typeof payload.nodeId === 'string' &&
      typeof payload.expiresAt === 'number'
    return isWhole ? (payload as TokenPayload) : null
  } catch {
    return null
  }
}
