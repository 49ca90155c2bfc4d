import type { RunStatus } from './run.ts'

export type InterruptKind = 'approval' | 'clarification' | 'external-event' | 'custom'

/** What a node asks the world, in OpenWOP's shape. */
export type InterruptRequest = {
  readonly kind: InterruptKind
  readonly key: string
  readonly data: Readonly<Record<string, unknown>>
  readonly resumeSchema?: Readonly<Record<string, unknown>>
  readonly timeoutMs?: number
}

/** A question that a run waits on, and its answer once there is one. */
export type Interrupt = {
  readonly interruptId: string
  readonly request: InterruptRequest
  readonly askedAt: number
  readonly deadline: number | null
  readonly resolution: { readonly value: unknown; readonly by: string | null } | null
}

const waitingStatus: Readonly<Record<InterruptKind, RunStatus>> = {
  approval: 'waiting-approval',
  clarification: 'waiting-input',
  'external-event': 'waiting-external',
  custom: 'waiting-external',
}

export function waitingStatusOf(kind: InterruptKind): RunStatus {
  return waitingStatus[kind]
}
